import { accountAndModelRows } from './account-model.ts'
import { compatibilityRows } from './compatibility.ts'
import { completionRows } from './completion.ts'
import { conformance } from './conformance.ts'
import { endpointRows } from './endpoints.ts'
import { errorRows } from './errors.ts'
import { jobRows } from './job.ts'
import { jobListRows } from './job-list.ts'
import { limitAndPriceRows } from './limits-and-prices.ts'
import { requestRows } from './request.ts'
import { ROWS } from './rows.ts'
import { webhookRows } from './webhooks.ts'
import { openWire, type Wire } from './wire-stage.ts'

/** What goes over the wire, row by row. */
const suite = conformance('wire', ROWS.wire)

let stage: Wire | undefined
const wire = (): Wire => {
  if (!stage) throw new Error('the network is not up')
  return stage
}
suite.before(async () => {
  stage = await openWire()
})
suite.after(async () => {
  await stage?.close()
})

compatibilityRows(suite.row, wire)
accountAndModelRows(suite.row, wire)
jobRows(suite.row, wire)
jobListRows(suite.row, wire)
completionRows(suite.row, wire)
requestRows(suite.row, wire)
endpointRows(suite.row, wire)
errorRows(suite.row, wire)
limitAndPriceRows(suite.row, wire)
webhookRows(suite.row, wire)

suite.run()

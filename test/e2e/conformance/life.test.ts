import * as assert from 'uvu/assert'
import { conformance } from './conformance.ts'
import { disputeRows } from './disputes.ts'
import { interruptionRows } from './interruptions.ts'
import { type Life, openLife } from './life-stage.ts'
import { retryRows } from './retries.ts'
import { ROWS } from './rows.ts'
import { stateRows } from './states.ts'

/** What becomes of a job, row by row. */
const suite = conformance('life', ROWS.life)

let stage: Life | undefined
const life = (): Life => {
  if (!stage) throw new Error('the network is not up')
  return stage
}
suite.before(async () => {
  stage = await openLife()
})
suite.after(async () => {
  if (!stage) return
  // Whatever happened: every token is accounted for.
  const { heldUnits, owedUnits } = await stage.chain.books()
  await stage.close()
  assert.is(heldUnits, owedUnits)
})

stateRows(suite.row, life)
disputeRows(suite.row, life)
interruptionRows(suite.row, life)
retryRows(suite.row, life)

suite.run()

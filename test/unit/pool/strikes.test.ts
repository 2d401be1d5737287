import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import type { StrikeRecord } from '../../../src/messages/strikes.ts'
import { flaw } from '../../../src/pool/proof/flaw.ts'
import { Strikes } from '../../../src/pool/strikes/strikes.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { job } from '../../fakes/chain/intents.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'

const Record = suite('pool: strikes')

const WORKER = { address: toAddress(`0x${'1'.repeat(40)}`), workerId: 1 }
const FLAW = flaw('foreign_job', 'it sent text of a job that it was not offered')

function house() {
  const [strikes, clock] = [new MemoryRegistry(), new ManualClock()]
  const record = new Strikes({ strikes, clock, log: makeLog('test', 'silent') })
  const noted = () => strikes.entries.get(WORKER.address)?.value as StrikeRecord | undefined
  return { strikes, clock, record, noted }
}

Record('of what is no job id, nothing is kept', async () => {
  const { clock, record, noted } = house()
  record.note(WORKER, 'x'.repeat(2_000_000), FLAW)
  await clock.advance(1_000)
  assert.is(noted()?.last.jobId, 'no job id')
  record.note(WORKER, job(1), FLAW)
  await clock.advance(1_000)
  assert.is(noted()?.last.jobId, job(1))
  assert.equal(noted()?.counts, { foreign_job: 2 })
})

Record('what could not be written is written later; what never can be is let go', async () => {
  const { strikes, clock, record, noted } = house()
  record.note(WORKER, job(1), FLAW)
  strikes.failures = 1
  await clock.advance(1_000)
  assert.is(noted(), undefined)
  await clock.advance(1_000)
  assert.equal(noted()?.counts, { foreign_job: 1 })
  const write = strikes.set.bind(strikes)
  strikes.set = () => Promise.reject(Object.assign(new Error(), { code: 'MAX_PAYLOAD_EXCEEDED' }))
  record.note(WORKER, job(2), FLAW)
  await clock.advance(1_000)
  strikes.set = write
  await clock.advance(2_000)
  assert.equal(noted()?.counts, { foreign_job: 1 })
})

Record.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeJobId, toAddress } from '../../../src/domain/ids.ts'
import { makeRunJob, type WaitingCaller } from '../../../src/edge/chat/run-job.ts'
import type { TakenOn } from '../../../src/edge/chat/take-on.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

/** Its credits are set aside, and its job is not begun yet. */
const Left = suite('edge: a caller that leaves before its job begins')

const wallet = toAddress(`0x${'1'.repeat(40)}`)

async function leaves(release: (...which: unknown[]) => Promise<void>) {
  const clock = new ManualClock()
  const job = { jobId: makeJobId(clock.now(), new Uint8Array(16)), caller: { wallet } }
  const nothing = () => assert.unreachable('nothing is begun')
  const runJob = makeRunJob({
    ...{ clock, log: makeLog('test', 'silent'), ledger: { release } },
    ...{ jobs: { start: nothing }, sharedJobs: { open: nothing }, times: { begin: nothing } },
  } as unknown as Parameters<typeof makeRunJob>[0])
  const taken = { type: 'admitted', job: { ...job, join: { key: 'k:1' } } }
  const caller = { hangUp: { happened: true, signal: Promise.resolve('hung_up') } }
  const end = await runJob.run(
    taken as unknown as TakenOn,
    caller as unknown as WaitingCaller,
    async () => nothing(),
  )
  return { end, jobId: job.jobId }
}

Left('has its credits back at once, and its key is free again', async () => {
  const released: unknown[] = []
  const { end, jobId } = await leaves(async (...which) => void released.push(which))
  assert.is(end, 'hung_up')
  assert.equal(released, [[wallet, jobId, 'k:1']])
})

Left('has them back by the sweeper where the ledger does not answer', async () => {
  const { end } = await leaves(async () => Promise.reject(new Error('Redis is away')))
  assert.is(end, 'hung_up')
})

Left.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toHex32 } from '../../../src/domain/ids.ts'
import { addMs, isoTimestamp, toUnixMs } from '../../../src/domain/time.ts'
import type { JobStatus, JobView } from '../../../src/messages/job-view.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { momentsOf, readJobLife } from '../../../src/web/jobs/job-life.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { jobAt, OWNER, viewOf } from '../../fakes/jobs/views.ts'

/** What a job's page tells of its life. */
const JobLife = suite('job life')

const of = (status: JobStatus, more: Partial<JobView> = {}) => viewOf(jobAt(1), status, more)
const eventsOf = (view: JobView) => momentsOf(view).map(({ event }) => event)
const terms = () => ({
  ...{ escrowAddress: OWNER, disputeWindowMs: 60_000 },
  ...{ clock: new ManualClock(), log: makeLog('test', 'silent') },
})
const contested = { disputeTx: of('disputed').disputeTx, disputedHash: of('disputed').disputedHash }

JobLife('given a job in each state, tells what has happened by then', () => {
  assert.equal(eventsOf(of('pending', { escrowTx: null })), ['created'])
  assert.equal(eventsOf(of('processing')), ['created', 'locked'])
  const answered = ['created', 'locked', 'answered']
  assert.equal(eventsOf(of('settling')), answered)
  assert.equal(eventsOf(of('settled')), [...answered, 'settled'])
  assert.equal(eventsOf(of('disputed')), [...answered, 'settled', 'disputed'])
  assert.equal(eventsOf(of('failed')), ['created', 'locked', 'failed', 'refunded'])
  assert.equal(eventsOf(of('refunded')), ['created', 'locked', 'refunded'])
  const never = of('failed', { escrowTx: null, refundTx: null })
  assert.equal(eventsOf(never), ['created', 'failed'])
})

JobLife('given a verdict, tells whose it was', () => {
  const { completedAt, settlementTx } = of('settled')
  const upheld = momentsOf(of('refunded', { completedAt, settlementTx, ...contested }))
  assert.is(upheld.at(-1)?.event, 'dispute_upheld')
  assert.is(upheld.at(-1)?.tx, of('refunded').refundTx)
  assert.is(eventsOf(of('settled', contested)).at(-1), 'dispute_rejected')
})

JobLife('a rejected dispute has the transaction and the time of its verdict', async () => {
  const verdict = toHex32(`0x${'66'.repeat(32)}`)
  const at = toUnixMs(1_800_000_000_000)
  const asked: unknown[] = []
  const options = {
    reader: {
      inclusion: async (tx: string) => ({ block: tx === verdict ? 12 : 9, at }),
      disputeEnd: async (...args: unknown[]) => {
        asked.push(args)
        return { tx: verdict }
      },
    },
    ...terms(),
  }
  const { timeline } = await readJobLife(options, of('settled', contested), at)
  const event = 'dispute_rejected'
  assert.equal(timeline.at(-1), { event, at: isoTimestamp(at), tx: verdict, block_number: 12 })
  assert.equal(asked, [[jobAt(1), 9]])
  await readJobLife(options, of('settled'), at)
  assert.is(asked.length, 1, 'nobody else’s verdict is looked for')
})

JobLife('can be disputed from the answer to the end of the window, once', async () => {
  const options = {
    reader: { inclusion: async () => null, disputeEnd: async () => null },
    ...terms(),
  }
  const end = addMs(of('settled').completedAt!, 60_000)
  const until = async (view: JobView, at = addMs(end, -1)) =>
    (await readJobLife(options, view, at)).disputable_until
  for (const status of ['settling', 'settled'] as const) {
    assert.is(await until(of(status)), new Date(end).toISOString())
    assert.is(await until(of(status), end), null)
    assert.is(await until(of(status, contested)), null)
  }
  for (const status of ['processing', 'failed', 'refunded', 'disputed'] as const) {
    assert.is(await until(of(status), toUnixMs(0)), null, status)
  }
})

JobLife('without an answer from the chain, the page has what the job knows, and soon', async () => {
  const silence = new Promise<never>(() => {})
  const options = { ...terms(), reader: { inclusion: () => silence, disputeEnd: () => silence } }
  const view = of('settled', contested)
  let life: Awaited<ReturnType<typeof readJobLife>> | undefined
  void readJobLife(options, view, view.createdAt).then((told) => {
    life = told
  })
  await options.clock.advance(6_000)
  assert.is(life?.job.status, 'settled')
  assert.equal(
    life?.timeline.map(({ event, block_number }) => [event, block_number]),
    [
      ...[
        ['created', null],
        ['locked', null],
        ['answered', null],
        ['settled', view.block],
      ],
      ...[
        ['disputed', null],
        ['dispute_rejected', null],
      ],
    ],
  )
})

JobLife.run()

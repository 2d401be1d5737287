import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Completion_FinishReason, Standing_State } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { CANARY, lastStanding, onCanary, record, refusedNow } from '../../fakes/pool/canaries.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import type { Rogue } from '../../fakes/pool/rogue.ts'
import { until } from '../../until.ts'

/** A worker that does not show what it must gets no paid job, and is told why. */
const Lies = suite('pool: canary jobs, answered wrong')

const WAIT_MS = 30_000

const LIES: Readonly<
  Record<string, { play: (worker: Rogue, jobId: string) => void; told: RegExp }>
> = {
  'a wrong hash': {
    play: (worker, jobId) => {
      worker.chunk(jobId, 0, 'one')
      worker.complete(jobId, 'one', 1, { hashOf: 'two' })
    },
    told: /output_hash.*update the agent/,
  },
  'a signature of another key': {
    play: (worker, jobId) => {
      worker.chunk(jobId, 0, 'one')
      worker.complete(jobId, 'one', 1, { signedBy: 7 })
    },
    told: /signed by/,
  },
  'a gap in its chunks': {
    play: (worker, jobId) => worker.chunk(jobId, 1, 'one'),
    told: /chunk 1 came where 0 was due/,
  },
  'more tokens than it may': {
    play: (worker, jobId) => {
      worker.chunk(jobId, 0, 'one')
      worker.complete(jobId, 'one', 1, { outputTokens: 200 })
    },
    told: /200 output tokens of at most/,
  },
  'text and no tokens': {
    play: (worker, jobId) => {
      worker.chunk(jobId, 0, 'one')
      worker.complete(jobId, 'one', 1, { outputTokens: 0 })
    },
    told: /counts 0 output tokens/,
  },
  'far more text than its tokens hold': {
    play: (worker, jobId) => {
      worker.chunk(jobId, 0, 'word '.repeat(1_000))
      worker.complete(jobId, 'word '.repeat(1_000), 1, { outputTokens: 24 })
    },
    told: /24 output tokens for 5000 characters/,
  },
  'an end without a word': {
    play: (worker, jobId) => worker.complete(jobId, '', 0, { outputTokens: 0 }),
    told: /without a word/,
  },
  'thoughts alone, though it was given room for more': {
    play: (worker, jobId) => {
      const finishReason = Completion_FinishReason.FINISH_REASON_LENGTH
      worker.complete(jobId, '', 0, { outputTokens: 0, finishReason })
    },
    told: /never answered: make it think less/,
  },
  'a refusal of what it has accepted': {
    play: (worker, jobId) => worker.say({ $case: 'refusal', value: { jobId, reason: 1 } }),
    told: /gave up unasked/,
  },
  'no finish reason': {
    play: (worker, jobId) => {
      worker.chunk(jobId, 0, 'one')
      worker.complete(jobId, 'one', 1, {
        finishReason: Completion_FinishReason.FINISH_REASON_UNSPECIFIED,
      })
    },
    told: /no finish reason/,
  },
}

for (const [lie, { play, told }] of Object.entries(LIES)) {
  Lies(
    `${lie}: no paid job, and it is told why`,
    inHouse(async ({ stage, rogue }) => {
      const worker = await rogue(1)
      const standing = lastStanding(worker)
      onCanary(worker, ({ jobId }) => {
        worker.accept(jobId)
        play(worker, jobId)
      })
      // A later try may be under way soon: its state and its reason are of one message.
      const told_ = () =>
        standing.now?.state === Standing_State.STATE_RESTING && told.test(standing.now.reason)
      await until('the reason in its standing, at rest', told_, WAIT_MS)
      assert.ok(standing.now!.restingUntil > 0)
      await refusedNow(stage)
      assert.is(record(stage), undefined)
      assert.is(worker.ended, undefined)
    }, CANARY),
  )
}

Lies(
  'an answer that nobody accepted is none',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1)
    const standing = lastStanding(worker)
    onCanary(worker, ({ jobId }) => worker.complete(jobId, '', 0))
    await until('the reason', () => /not accepted/.test(standing.now?.reason ?? ''), WAIT_MS)
    await refusedNow(stage)
  }, CANARY),
)

Lies.run()

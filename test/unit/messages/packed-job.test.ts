import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decode, encode } from '../../../src/bus/codec.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { TIERS } from '../../../src/domain/tiers.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Usage } from '../../../src/domain/usage.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import {
  type PackedJob,
  packJob,
  statusNumber,
  statusOfNumber,
  unpackJob,
} from '../../../src/messages/packed-job.ts'
import { jobAt, OWNER } from '../../fakes/jobs/views.ts'

/** Jobs in the form in which they are kept for years. */
const Packed = suite('packed job')

const hexOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((b) => Buffer.from(b).toString('hex'))
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const hash = orNull(hexOf(32).map((hex) => toHex32(`0x${hex}`)))
const count = fc.nat({ max: 2 ** 40 })
const credits = count.map((n) => toCredits(n))
const at = fc.integer({ min: 0, max: 4e12 }).map(toUnixMs)

const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(fields, { noNullPrototype: true })

const views = record<JobView>({
  id: fc.nat(1e9).map((n) => jobAt(n)),
  wallet: fc.constant(OWNER),
  status: fc.integer({ min: 0, max: 6 }).map(statusOfNumber),
  model: fc.string(),
  tier: fc.constantFrom(...TIERS),
  lock: credits,
  charged: credits,
  worker: orNull(hexOf(20).map((hex) => toAddress(`0x${hex}`))),
  createdAt: at,
  completedAt: orNull(at),
  escrowTx: hash,
  settlementTx: hash,
  refundTx: hash,
  disputeTx: hash,
  disputedHash: hash,
  block: orNull(count),
  proofHash: hash,
  usage: orNull(record<Usage>({ promptTokens: count, completionTokens: count })),
})

Packed('whatever is known of a job comes back, and what is not stays null', () => {
  fc.assert(
    fc.property(views, (view) => {
      assert.equal(unpackJob(view, decode(encode(packJob(view))) as PackedJob), view)
    }),
  )
})

Packed('a status keeps its number for ever', () => {
  assert.equal(
    (
      ['pending', 'processing', 'settling', 'settled', 'failed', 'refunded', 'disputed'] as const
    ).map(statusNumber),
    [0, 1, 2, 3, 4, 5, 6],
  )
  assert.throws(() => statusOfNumber(7), /no job status/)
})

Packed('one written before a field was added reads as a job without it', () => {
  const short: PackedJob = [1, 8, 0, 1_000, null, null, null, null, null, null, null, null]
  const key = { id: jobAt(1), wallet: OWNER, status: 'pending', model: 'm' } as const
  const view = unpackJob(key, short.slice(0, 4) as unknown as PackedJob)
  assert.equal(view, unpackJob(key, short))
  assert.is(view.refundTx, null)
  assert.is(view.usage, null)
})

Packed.run()

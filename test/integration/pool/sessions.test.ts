import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PROTOCOLS } from '../../../src/domain/version.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import type { Rogue } from '../../fakes/pool/rogue.ts'
import { identity, MODEL } from '../../fakes/pool/stage.ts'
import { pause, SOON_MS, until } from '../../until.ts'

const Sessions = suite('pool and worker: sessions')

Sessions(
  'a newer session of a worker ends the older',
  inHouse(async ({ stage, rogue }) => {
    const older = await rogue(9)
    older.onOffer = ({ jobId }) => older.accept(jobId)
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'AssignWorker')
    const newer = await rogue(9)
    await until('the older to end', () => older.ended !== undefined, SOON_MS)
    assert.is(older.ended?.code, 'ABORTED')
    assert.is((await stage.hears(jobId, 'FailWorker')).reason, 'worker_lost')
    await pause(50)
    assert.ok(newer.welcomed && !newer.ended)
    assert.is(stage.workers(), 1)
    assert.is(stage.chain.registered.size, 1, 'registered once')
  }),
)

Sessions(
  'a full pool: nobody new comes in, nor is registered first, and whoever is there may begin anew in its own place',
  inHouse(
    async ({ stage, rogue }) => {
      const older = await rogue(9)
      assert.is((await rogue(8)).ended?.code, 'RESOURCE_EXHAUSTED')
      assert.is(stage.chain.asked, 1, 'for the first one')
      const newer = await rogue(9)
      assert.ok(newer.welcomed)
      await until('the older to end', () => older.ended, SOON_MS)
      assert.is(stage.workers(), 1)
    },
    { workersMax: 1 },
  ),
)

Sessions(
  'turned away: a false key, no model of the catalogue, no slots, another protocol',
  inHouse(async ({ rogue }) => {
    const code = async (hello: ConstructorParameters<typeof Rogue>[2]) => {
      const worker = await rogue(9, hello)
      return worker.ended?.code
    }
    assert.is(await code({ signedBy: 8 }), 'UNAUTHENTICATED')
    assert.is(await code({ models: ['made-up'] }), 'INVALID_ARGUMENT')
    assert.is(await code({ slots: 0 }), 'INVALID_ARGUMENT')
    assert.is(await code({ protocol: PROTOCOLS.max + 1 }), 'FAILED_PRECONDITION')
    assert.is(await code({ models: ['made-up', MODEL] }), undefined)
  }),
)

Sessions(
  'a signature of 65 bytes, with its v, is no other key: the worker is told which form is meant',
  inHouse(async ({ rogue }) => {
    const v = Buffer.from([27])
    for (const [field, hello] of [
      ['challenge_signature', { challenge: v }],
      ['registration_signature', { registration: v }],
    ] as const) {
      const worker = await rogue(9, { v: hello })
      assert.is(worker.ended?.code, 'UNAUTHENTICATED')
      assert.match(worker.ended?.details ?? '', new RegExp(`^${field} must be 64 bytes: r and vs`))
    }
  }),
)

Sessions(
  'a time in nanoseconds is more than can be read: the worker is told what was wrong',
  inHouse(async ({ rogue }) => {
    const worker = await rogue(9)
    worker.say({ $case: 'heartbeat', value: { sentAt: 1_800_000_000e9 } })
    await until('it to be sent away', () => worker.ended, SOON_MS)
    assert.is(worker.ended?.code, 'INVALID_ARGUMENT')
    assert.match(worker.ended?.details ?? '', /cannot be read.*below 2\^53/)
  }),
)

Sessions(
  'a session that falls silent is cut',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9, { beats: false })
    await until('the cut', () => worker.ended !== undefined, 30_000)
    assert.is(worker.ended?.code, 'DEADLINE_EXCEEDED')
    await until('the summary to say so', () => stage.workers() === 0, SOON_MS)
  }),
)

Sessions(
  'an agent that is thrown out dials again',
  inHouse(async ({ stage, serve, rogue }) => {
    await serve()
    const usurper = await rogue(1)
    await until('the usurper', () => usurper.welcomed, SOON_MS)
    await until('the agent to be back', () => usurper.ended?.code === 'ABORTED', 30_000)
    await stage.hears((await stage.offer()).jobId, 'CompleteJob')
  }),
)

Sessions(
  'a prompt of 4 MiB passes',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve()
    const messages = [{ role: 'user' as const, content: 'é'.repeat(2 * 1024 * 1024) }]
    const { jobId } = await stage.offer({}, { messages })
    await stage.hears(jobId, 'CompleteJob')
    assert.equal(upstream.requests[0]?.messages, messages)
  }),
)

Sessions(
  'new keys past what the network registers are told to come later, and asked for now and then only',
  inHouse(async ({ stage, rogue }) => {
    stage.chain.registrationsMax = 1
    const first = await rogue(5)
    for (const key of [6, 7, 8]) {
      const { ended } = await rogue(key)
      assert.is(ended?.code, 'UNAVAILABLE')
      assert.match(ended?.details ?? '', /cannot be registered: too many; .* in 1 min: dial again/)
    }
    assert.is(stage.chain.asked, 2, 'the lane is not asked once a key')
    assert.ok(first.welcomed && !first.ended)
    stage.chain.registered.set(identity(9).address, 9)
    assert.ok((await rogue(9)).welcomed, 'whoever has a number is let in')
  }),
)

Sessions.run()

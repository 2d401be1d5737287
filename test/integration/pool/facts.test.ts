import { setTimeout as pause } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inHouse } from '../../fakes/pool/house.ts'
import { identity, MODEL } from '../../fakes/pool/stage.ts'
import { SOON_MS, until } from '../../until.ts'

/** More than a pool lets pass between two looks at the chain. */
const LOOK_MS = 3_500

/** Who joins the network for the first time, and who has left the chain. */
const Members = suite('pool: newcomers and workers that left the chain')

Members(
  'worker.registered: once a worker, with its models and region',
  inHouse(async ({ stage, rogue }) => {
    const first = await rogue(1)
    await until('the newcomer to be told of', () => stage.facts.told.length === 1, SOON_MS)
    const [told] = stage.facts.told
    assert.ok(told?.type === 'worker.registered')
    const worker = identity(1).address
    assert.is(told.worker, worker)
    assert.equal(told.data, { worker_address: worker, models: [MODEL], region: 'test' })
    first.vanish()
    await rogue(1)
    await rogue(2)
    await until('the second worker to be told of', () => stage.facts.told.length > 1, SOON_MS)
    assert.is(stage.facts.told.length, 2)
  }),
)

Members(
  'worker.registered: a region is one line, whatever ends a line to its readers',
  inHouse(async ({ stage, rogue }) => {
    await rogue(1, { region: 'eu\u2028-\u2029we\u0085s\r\nt' })
    await until('the newcomer to be told of', () => stage.facts.told.length === 1, SOON_MS)
    const [told] = stage.facts.told
    assert.ok(told?.type === 'worker.registered')
    assert.is(told.data.region, 'eu-west')
  }),
)

Members(
  'worker.registered: told by the next pool where one was killed before, never where one told it',
  inHouse(async ({ stage, rogue }) => {
    // The stream is down: the worker is welcome all the same.
    stage.facts.failing = true
    const before = await rogue(1)
    assert.ok(before.welcomed)
    stage.facts.failing = false
    await until('the newcomer to be told of', () => stage.facts.told.length === 1, SOON_MS)
    await inHouse(async (other) => {
      // The pool was killed after it told, before it wrote that down.
      await other.rogue(1)
      await until('the other pool to tell', () => other.stage.facts.told.length === 1, SOON_MS)
      assert.is(other.stage.facts.told[0]?.id, stage.facts.told[0]?.id)
    })()
    await until('the mark', () => stage.marks.entries.size === 1, SOON_MS)
    await inHouse(async (other) => {
      for (const [key, entry] of stage.marks.entries) other.stage.marks.entries.set(key, entry)
      await other.rogue(1)
      await other.rogue(2)
      await until(
        'the unknown one to be told of',
        () => other.stage.facts.told.length === 1,
        SOON_MS,
      )
      const [told] = other.stage.facts.told
      assert.ok(told?.type === 'worker.registered')
      assert.is(told.worker, identity(2).address)
    })()
  }),
)

Members(
  'deactivated on chain: sent away and told why, its job goes on elsewhere, others stay',
  inHouse(async ({ stage, rogue }) => {
    const leaver = await rogue(1)
    leaver.onOffer = ({ jobId }) => leaver.accept(jobId)
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'AssignWorker')
    const other = await rogue(2)
    stage.chain.deactivate(leaver.address)
    await until('the leaver to be sent away', () => leaver.ended !== undefined, SOON_MS)
    assert.is(leaver.ended?.code, 'FAILED_PRECONDITION')
    assert.match(leaver.ended?.details ?? '', 'deactivated on chain')
    await stage.hears(jobId, 'FailWorker')
    await until('one worker to be left', () => stage.workers() === 1, SOON_MS)
    assert.not(other.ended)
  }),
)

Members(
  'deactivated on chain: refused when it dials, without a transaction',
  inHouse(async ({ stage, rogue }) => {
    const first = await rogue(1)
    assert.is(stage.chain.asked, 1)
    stage.chain.deactivate(identity(1).address)
    await until('the leaver to be sent away', () => first.ended !== undefined, SOON_MS)
    stage.chain.deactivate(identity(2).address)
    for (const key of [1, 2, 1]) {
      const again = await rogue(key)
      assert.is(again.ended?.code, 'FAILED_PRECONDITION')
      assert.match(again.ended?.details ?? '', 'use another key')
    }
    assert.is(stage.chain.asked, 1)
    assert.is(stage.workers(), 0)
  }),
)

Members(
  'a registration that went with a reorg: the worker is sent away, and registered anew',
  inHouse(async ({ stage, rogue }) => {
    const first = await rogue(1)
    assert.is(stage.chain.asked, 1)
    stage.chain.goBackBehind(first.address)
    // A look for the block that it joined in, and one when no reorg reaches that any more.
    await pause(LOOK_MS)
    for (let key = 100; key < 112; key++) stage.chain.deactivate(identity(key).address)
    await until('the worker to be sent away', () => first.ended !== undefined, SOON_MS)
    assert.is(first.ended?.code, 'UNAVAILABLE')
    assert.match(first.ended?.details ?? '', 'is not number 1 any more')
    const again = await rogue(1)
    assert.ok(again.welcomed)
    assert.is(stage.chain.asked, 2)
  }),
)

Members.run()

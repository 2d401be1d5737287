import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Cursor, makeCursorStore } from '../../../actors/chain-watcher/cursor.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { CursorRegistry } from '../../fakes/chain/cursor-registry.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

/**
 * How far whoever goes on after a crash is sure to begin. Notes of wallets that were read up to there are dropped:
 * if it is told too far, a balance of a block that is gone stays.
 */
const Kept = suite('cursor of the watcher')

const upTo = (block: number): Cursor => ({
  trail: [{ block, hash: hashOf(`${block}`) }],
  locksToldTo: -1,
})

async function open(left?: Cursor) {
  const [registry, clock] = [new CursorRegistry(), new ManualClock()]
  if (left) await registry.set('watcher', left)
  const store = makeCursorStore({ registry, clock, log: makeLog('test', 'silent') })
  await store.load()
  const stored = () => (registry.entries.get('watcher')!.value as Cursor).trail[0]?.block
  return { registry, clock, store, stored }
}

Kept('as far as the last watcher has left it, and none where there was none', async () => {
  assert.is((await open(upTo(10))).store.kept(), 10)
  assert.is((await open()).store.kept(), -1)
})

Kept('forward once it is written, back at once', async () => {
  const { clock, store } = await open(upTo(10))
  store.save(upTo(20))
  assert.is(store.kept(), 10)
  await clock.advance(200)
  assert.is(store.kept(), 20)
  store.save(upTo(5))
  assert.is(store.kept(), 5)
  store.save(upTo(8))
  assert.is(store.kept(), 5)
  await clock.advance(200)
  assert.is(store.kept(), 8)
})

Kept('no further than where it went back to while it was being written', async () => {
  const { registry, clock, store } = await open(upTo(10))
  let answer = () => {}
  const set = registry.set.bind(registry)
  registry.set = async (...about) => {
    await set(...about)
    await new Promise<void>((resolve) => {
      answer = resolve
    })
  }
  store.save(upTo(20))
  await clock.advance(200)
  store.save(upTo(7))
  answer()
  await rest()
  assert.is(store.kept(), 7)
})

Kept('as it was, where it cannot be written; and nothing is written after the end', async () => {
  const { registry, clock, store, stored } = await open(upTo(10))
  const set = registry.set.bind(registry)
  registry.set = () => Promise.reject(new Error('no NATS'))
  store.save(upTo(20))
  await clock.advance(200)
  assert.is(store.kept(), 10)
  registry.set = set
  store.save(upTo(30))
  await store.stop()
  assert.is(stored(), 30)
  store.save(upTo(40))
  await clock.advance(1_000)
  assert.is(stored(), 30)
})

Kept.run()

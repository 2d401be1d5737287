import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { KeyCache } from '../../../src/edge/callers/key-cache.ts'
import { keyRecord } from '../../../src/messages/key-record.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { WALLET } from '../../fakes/chain/intents.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { CuttableBus } from '../../fakes/edge/cuttable-bus.ts'
import { WatchedRegistry } from '../../fakes/edge/watched-registry.ts'

const Keys = suite('keys that were read lately')
const HASH = 'hash'
const record = (status: 'active' | 'suspended') =>
  keyRecord('svc_live_test', { wallet: WALLET, createdAt: 1_800_000_000_000, status })

/** Where watches are opened, and reads are answered, once that is allowed. */
class SlowRegistry extends WatchedRegistry {
  opening = Promise.resolve()
  answering = Promise.resolve()

  override async watch(...asked: Parameters<WatchedRegistry['watch']>) {
    await this.opening
    return super.watch(...asked)
  }

  override async get(key: string) {
    const entry = await super.get(key)
    await this.answering
    return entry
  }
}

async function stage() {
  const keys = new SlowRegistry()
  await keys.set(HASH, record('active'))
  const log = makeLog('test', 'silent')
  const clock = new ManualClock()
  const bus = new CuttableBus()
  const cache = new KeyCache({ keys, bus, clock, log })
  await rest()
  return { keys, bus, clock, cache, statusOf: async () => (await cache.read(HASH))?.status }
}

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

Keys(
  'are believed while a watch stands, and from when it breaks not before another does',
  async () => {
    const { keys, cache, statusOf } = await stage()
    assert.equal([await statusOf(), await statusOf(), keys.reads], ['active', 'active', 1])
    const { opened, open } = gate()
    keys.opening = opened
    keys.breakWatches()
    await keys.set(HASH, record('suspended'))
    assert.equal([await statusOf(), await statusOf(), keys.reads], ['suspended', 'suspended', 3])
    open()
    await rest()
    assert.equal([await statusOf(), await statusOf(), keys.reads], ['suspended', 'suspended', 4])
    cache.stop()
  },
)

Keys('what was read before the watch stood is not believed after it', async () => {
  const { keys, cache, statusOf } = await stage()
  const [watch, answer] = [gate(), gate()]
  keys.opening = watch.opened
  keys.breakWatches()
  keys.answering = answer.opened
  const before = statusOf()
  await keys.set(HASH, record('suspended'))
  watch.open()
  await rest()
  answer.open()
  assert.is(await before, 'active')
  assert.is(await statusOf(), 'suspended')
  cache.stop()
})

Keys('what was read before a revocation, and comes after it, is not kept', async () => {
  const { keys, cache, statusOf } = await stage()
  const answer = gate()
  keys.answering = answer.opened
  const before = statusOf()
  await keys.set(HASH, record('suspended'))
  answer.open()
  assert.is(await before, 'active')
  assert.equal([await statusOf(), await statusOf(), keys.reads], ['suspended', 'suspended', 2])
  cache.stop()
})

Keys('a watch that was asked for before the connection broke is not believed', async () => {
  const { keys, bus, cache, statusOf } = await stage()
  const watch = gate()
  keys.opening = watch.opened
  keys.breakWatches()
  bus.setConnected(false)
  watch.open()
  await rest()
  assert.equal([await statusOf(), await statusOf(), keys.reads], ['active', 'active', 2])
  bus.setConnected(true)
  await rest()
  assert.equal([await statusOf(), await statusOf(), keys.reads], ['active', 'active', 3])
  cache.stop()
})

Keys('of more than ten thousand, those that were not used for longest are read anew', async () => {
  const { keys, cache, statusOf } = await stage()
  await statusOf()
  const hashes = Array.from({ length: 10_000 }, (_, i) => `hash ${i}`)
  for (const hash of hashes) {
    await keys.set(hash, record('active'))
    await cache.read(hash)
    if (hash === 'hash 5000') await statusOf()
  }
  const before = keys.reads
  await statusOf()
  await cache.read('hash 1')
  assert.is(keys.reads, before, 'kept')
  await cache.read('hash 0')
  assert.is(keys.reads, before + 1)
  cache.stop()
})

Keys(
  'a watch that fails unnoticed keeps a revoked key for half a minute, used or not',
  async () => {
    const { keys, clock, cache, statusOf } = await stage()
    await statusOf()
    await clock.advance(20_000)
    await statusOf()
    assert.is(keys.reads, 1)
    await clock.advance(10_000)
    await statusOf()
    assert.is(keys.reads, 2)
    cache.stop()
  },
)

Keys('where no watch can be had it is tried again, and every key read until then', async () => {
  const { keys, clock, cache, statusOf } = await stage()
  keys.opening = Promise.reject(new Error('the bus does not answer'))
  keys.breakWatches()
  await rest()
  assert.equal([await statusOf(), await statusOf(), keys.reads], ['active', 'active', 2])
  keys.opening = Promise.resolve()
  await clock.advance(500)
  assert.equal([await statusOf(), await statusOf(), keys.reads], ['active', 'active', 3])
  await keys.set(HASH, record('suspended'))
  assert.is(await statusOf(), 'suspended')
  cache.stop()
})

Keys.run()

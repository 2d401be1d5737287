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
  const cache = new KeyCache({ keys, bus: new CuttableBus(), clock: new ManualClock(), log })
  await rest()
  return { keys, cache, statusOf: async () => (await cache.read(HASH))?.status }
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

Keys.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { WALLET } from '../../fakes/chain/intents.ts'
import { makeRandom } from '../../simulation/random.ts'
import { connectSimRedis } from '../../simulation/redis/connect.ts'
import { openScripts } from '../../simulation/redis/lua.ts'
import { SimRedis } from '../../simulation/redis/server.ts'
import type { Node, World } from '../../simulation/world.ts'

/** What is set aside for vouchers, over longer than a test can wait: the scripts are real, time is not. */
const SetAsides = suite('store: what is set aside, a day later')

const DAY_MS = 24 * 60 * 60 * 1_000
const BEGIN_MS = 1_800_000_000_000
const node = {
  call: async (_service: string, act: () => unknown) => act(),
  onDeath: () => {},
} as unknown as Node

async function open() {
  let now = BEGIN_MS
  const world = {
    random: makeRandom(1),
    now: () => toUnixMs(now),
    history: { add: () => {} },
  } as unknown as World
  const { ledger, setAsides } = connectSimRedis(new SimRedis(world, await openScripts()), node)
  const account = { available: toCredits(500), locked: toCredits(0), lastTopupAt: null }
  await ledger.load(WALLET, { ...account, block: 10 })
  const setAside = (requestId: string, credits: number) => {
    const time = now / 1_000
    const terms = { to: toAddress(`0x${'bb'.repeat(20)}`), deadline: time + 120 }
    return setAsides.setAside(
      { wallet: WALLET, requestId, credits: toCredits(credits), ...terms },
      { nonce: 0n, block: 10, time },
    )
  }
  const remaining = async () => {
    const balance = await ledger.balance(WALLET)
    return balance === 'unknown_wallet' ? balance : Number(balance.remaining)
  }
  const pass = (ms: number) => {
    now += ms
  }
  return { setAsides, setAside, remaining, pass }
}

SetAsides(
  'a voucher that nobody looked after for a day: the sweep gives its credits back',
  async () => {
    const { setAsides, setAside, remaining, pass } = await open()
    assert.is((await setAside('w-1', 400)).type, 'set_aside')
    assert.is(await remaining(), 100)
    pass(DAY_MS + 1_000)
    assert.is(await remaining(), 100)
    await setAsides.end(WALLET, 'w-1')
    assert.is(await remaining(), 500)
  },
)

SetAsides('or the next one takes its place', async () => {
  const { setAsides, setAside, remaining, pass } = await open()
  await setAside('w-1', 400)
  pass(DAY_MS + 1_000)
  assert.is((await setAside('w-2', 300)).type, 'set_aside')
  assert.is(await remaining(), 200)
  await setAsides.end(WALLET, 'w-1')
  assert.is(await remaining(), 200, 'the end of the first is not the end of the second')
  await setAsides.end(WALLET, 'w-2')
  assert.is(await remaining(), 500)
})

SetAsides.run()

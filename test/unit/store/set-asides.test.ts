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
/** @param before each command */
const nodeThat = (before: () => Promise<void>) =>
  ({
    call: async (_service: string, act: () => unknown) => {
      await before()
      return act()
    },
    onDeath: () => {},
  }) as unknown as Node
const node = nodeThat(async () => {})

async function open(credits = 500) {
  let now = BEGIN_MS
  const world = {
    random: makeRandom(1),
    now: () => toUnixMs(now),
    history: { add: () => {} },
  } as unknown as World
  const redis = new SimRedis(world, await openScripts())
  const { ledger, setAsides } = connectSimRedis(redis, node)
  const account = { available: toCredits(credits), locked: toCredits(0), lastTopupAt: null }
  await ledger.load(WALLET, { ...account, block: 10 })
  const setAside = (requestId: string, credits: number, before = async () => {}) => {
    const time = now / 1_000
    const terms = { to: toAddress(`0x${'bb'.repeat(20)}`), deadline: time + 120 }
    return connectSimRedis(redis, nodeThat(before)).setAsides.setAside(
      { wallet: WALLET, requestId, credits: toCredits(credits), ...terms },
      { nonce: 0n, block: 11, time },
    )
  }
  const remaining = async () => {
    const balance = await ledger.balance(WALLET)
    return balance === 'unknown_wallet' ? balance : Number(balance.remaining)
  }
  const pass = (ms: number) => {
    now += ms
  }
  const topUp = () =>
    ledger.apply([
      {
        ...{ wallet: WALLET, block: 11, logIndex: 0, kind: 'deposited' },
        ...{ credits: toCredits(500), at: toUnixMs(now) },
      },
    ])
  return { setAsides, setAside, remaining, pass, topUp }
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

for (const command of [0, 1, 2, 3]) {
  SetAsides(
    `one that was refused, and is granted while a sweep looks for it: ${command}`,
    async () => {
      const { setAsides, setAside, pass, topUp } = await open(100)
      assert.is((await setAside('w-1', 400)).type, 'insufficient')
      pass(130_000)
      await topUp()
      let before = 0
      const granted = await setAside('w-1', 400, async () => {
        if (before++ !== command) return
        if ((await setAsides.held(WALLET)) === undefined) await setAsides.end(WALLET, 'w-1')
      })
      assert.is(granted.type, 'set_aside')
      const found = await setAsides.overdue(BEGIN_MS / 1_000 + 1_000, 10)
      assert.equal(found, [{ wallet: WALLET, requestId: 'w-1' }], 'a sweep will find it')
    },
  )
}

SetAsides.run()

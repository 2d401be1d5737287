import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeKeeper } from '../../../actors/keeper/keeper.ts'
import { type TokenUnits, toCredits } from '../../../src/domain/credits.ts'
import { type Address, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { type EquivocationRecord, equivocationKey } from '../../../src/messages/strikes.ts'
import type { Earnings, KeeperCall, KeeperOutcome } from '../../../src/ports/keeper.ts'
import type { RegistryEntry } from '../../../src/ports/registry.ts'
import { CursorRegistry } from '../../fakes/chain/cursor-registry.ts'
import { job } from '../../fakes/chain/intents.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { KeeperChain } from '../../fakes/chain/keeper-chain.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { told } from './stories.ts'

/** The keeper's turns, on a chain that is told what to answer. */
const Keeper = suite('keeper: one turn after the other')

const UNPAID = { type: 'unfunded', balanceWei: 1n, neededWei: 1_001n } as const
const PAUSED: KeeperOutcome = { type: 'refused', reason: 'EnforcedPause' }
const wallet = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)

type Each = (key: string, entry: RegistryEntry) => void

/** Whoever is written into it is told to who watches. */
class Watched extends CursorRegistry {
  #each: Each | undefined
  override async set(key: string, value: unknown): Promise<void> {
    await super.set(key, value)
    const entry = this.entries.get(key)
    if (entry) this.#each?.(key, entry)
  }
  override async watch(_filter?: string, each?: Each): Promise<() => void> {
    this.#each = each
    for (const [key, entry] of this.entries) each?.(key, entry)
    return () => {}
  }
}

interface Line {
  readonly level: string
  readonly text: string
}

class House {
  readonly chain = new KeeperChain()
  readonly clock = new ManualClock()
  readonly bus = new JobBus()
  readonly cursors = new CursorRegistry()
  readonly keys = new Watched()
  readonly wallets = new Watched()
  readonly strikes = new Watched()
  readonly lines: Line[] = []
  isSettling = false

  async keep(confirmations = 1) {
    const write = (level: string) => (about: unknown, text?: string) => {
      this.lines.push({ level, text: text ?? String(about) })
    }
    const levels = ['debug', 'info', 'warn', 'error']
    const log = Object.fromEntries(levels.map((level) => [level, write(level)])) as never
    const { cursors, keys, wallets, strikes, chain, clock, bus } = this
    const keeper = makeKeeper({
      ...{ reader: chain, writer: chain, bus, clock, log, confirmations },
      registries: { cursors, keys, wallets, strikes },
      onBlock: () => () => {},
      deployBlock: 1,
      jobEscrow: wallet(0xe5),
      claimMinimum: toCredits(100),
      feeCeilingWei: 200n,
      claimFeeCeilingWei: 20n,
    })
    await keeper.start()
    await this.pass(0)
    return keeper
  }

  /** Seconds. */
  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1_000)
    await rest()
  }

  made(): string[] {
    return this.chain.calls.splice(0).map((call) => `${call.type} ${nameOf(call)}`)
  }
  told(level: string): string[] {
    return this.lines.flatMap((line) => (line.level === level ? line.text : []))
  }
}

const nameOf = (call: KeeperCall): string | number => {
  if (call.type === 'claim') return call.earner
  if (call.type === 'sweep') return Number(call.wallet)
  return [1, 2, 3, 4, 5].find((n) => job(n) === call.jobId) ?? call.jobId
}

function openHouse(): House {
  const house = new House()
  house.bus.subscribe('cmd.*.*.*', (_message, _subject, respond) => {
    respond(
      house.isSettling
        ? { type: 'accepted', view: { status: 'settling' } }
        : { type: 'unknown_job' },
    )
  })
  return house
}

Keeper('takes back a lock once its time is over by the chain, and once only', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  await house.pass(200)
  assert.equal(house.made(), [])
  house.chain.mine(250)
  await house.pass(1)
  assert.equal(house.made(), ['refund 1'])
  house.chain.mine(251, told(251, 'refunded', 1))
  await house.pass(60)
  assert.equal(house.made(), [])
})

Keeper('an idle chain stands still, so the clock of this machine counts too', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  await house.pass(240)
  assert.equal(house.made(), [])
  await house.pass(12)
  assert.equal(house.made(), ['refund 1'])
})

Keeper('waits for the confirmations that it was told', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  house.chain.mine(300)
  house.chain.mine(300, told(299, 'settled', 1))
  await house.keep(3)
  assert.equal(house.made(), ['refund 1'], 'the settlement is not final yet; the chain will say')
})

Keeper('asks the job: one that waits for its settlement keeps its lock', async () => {
  const house = openHouse()
  house.isSettling = true
  house.chain.mine(10, told(10, 'locked', 1))
  house.chain.mine(300)
  await house.keep()
  await house.pass(60)
  assert.equal(house.made(), [])
  house.chain.mine(10 + 180 + 7_200)
  await house.pass(15)
  assert.equal(house.made(), ['refund 1'])
})

Keeper('one of each kind a turn: none waits behind the many of another', async () => {
  const house = openHouse()
  house.chain.mine(10, ...[1, 2, 3].map((n) => told(10, 'locked', n)), told(10, 'settled', 4))
  house.chain.mine(11, told(11, 'disputed', 5))
  house.chain.tokens.set(house.chain.depositAddress(wallet(7)), 1_000_000n)
  await house.keys.set('hash', { wallet: wallet(7) })
  house.chain.earnings.set(1, { total: 2_000_000n, claimable: 2_000_000n } as Earnings)
  house.chain.mine(100_000)
  await house.keep()
  await house.pass(20)
  const made = house.made()
  assert.equal(made.slice(0, 4), ['sweep 7', 'refund 1', 'end_dispute 5', 'claim 1'])
  assert.equal(made.slice(4, 6), ['refund 2', 'refund 3'])
})

Keeper('what the chain refuses is tried again later and later, told once, and alone', async () => {
  const house = openHouse()
  const [frozen, free] = [wallet(7), wallet(8)]
  for (const each of [frozen, free]) {
    house.chain.tokens.set(house.chain.depositAddress(each), 1_000_000n)
    await house.wallets.set(each, {})
  }
  house.chain.outcome = (call) =>
    call.type === 'sweep' && call.wallet === frozen ? PAUSED : { type: 'done', tx: '0x' as never }
  await house.keep()
  await house.pass(3)
  assert.equal(house.made().sort(), ['sweep 7', 'sweep 8'])
  await house.pass(600)
  const tries = house.made().length
  assert.ok(tries >= 4 && tries <= 8, `${tries} tries in ten minutes`)
  assert.is(house.told('warn').length, 1)
  house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
  await house.pass(600)
  assert.equal(house.made(), ['sweep 7'])
})

Keeper('an empty purse is told of once, and filled it goes on by itself', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1), told(10, 'locked', 2))
  house.chain.mine(300)
  house.chain.outcome = () => UNPAID
  await house.keep()
  await house.pass(120)
  assert.ok(house.made().length <= 13, 'a try every ten seconds')
  const [line, ...more] = house.told('error')
  assert.match(line!, new RegExp(`${house.chain.address}, at least 1000 wei`))
  assert.is(more.length, 0)
  house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
  await house.pass(15)
  assert.equal(house.made(), ['refund 1', 'refund 2'])
})

Keeper('gas that is too dear is waited out', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  house.chain.mine(300)
  house.chain.outcome = () => ({ type: 'too_dear', feeWei: 500n })
  await house.keep()
  await house.pass(20)
  assert.is(house.made().length, 1)
  assert.is(house.told('warn').length, 1)
  house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
  await house.pass(20)
  assert.equal(house.made(), ['refund 1'])
})

Keeper('transfers that cannot be read hold up nothing else', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  house.chain.transfersFail = true
  house.chain.mine(300)
  await house.pass(3)
  assert.equal(house.made(), ['refund 1'])
  assert.is(house.told('warn').length, 1)
  const at = house.chain.depositAddress(wallet(7))
  await house.wallets.set(wallet(7), {})
  await house.pass(2)
  house.chain.transfer(at, 1_000_000n)
  house.chain.transfersFail = false
  await house.pass(2)
  assert.equal(house.made(), ['sweep 7'], 'what was missed meanwhile is read afterwards')
})

Keeper('less than the minimum waits at its address for more', async () => {
  const house = openHouse()
  await house.wallets.set(wallet(7), {})
  await house.keep()
  const at = house.chain.depositAddress(wallet(7))
  house.chain.transfer(at, 999_999n)
  await house.pass(30)
  assert.equal(house.made(), [])
  house.chain.transfer(at, 1n)
  await house.pass(1)
  assert.equal(house.made(), ['sweep 7'])
})

Keeper('a reorg: what was settled in blocks that are gone is locked again', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  house.chain.mine(12, told(12, 'settled', 1))
  await house.pass(1)
  house.chain.goBack(10)
  house.chain.mine(300)
  await house.pass(2)
  assert.equal(house.made(), ['refund 1'])
})

Keeper('a chain that is another one is read from the deployment on', async () => {
  const house = openHouse()
  house.chain.mine(100, told(10, 'locked', 1))
  const keeper = await house.keep()
  await keeper.stop()
  assert.ok(house.cursors.entries.has('keeper'), 'it leaves a checkpoint')
  house.chain.goBack(0)
  house.chain.mine(400, told(20, 'locked', 2))
  await house.keep()
  await house.pass(1)
  assert.equal(house.made(), ['refund 2'])
})

Keeper('with its checkpoint it reads only what is new', async () => {
  const house = openHouse()
  house.chain.mine(5_000, told(10, 'locked', 1))
  house.chain.outcome = () => PAUSED
  const keeper = await house.keep()
  await keeper.stop()
  house.chain.ranges.length = 0
  house.chain.mine(5_001)
  await house.keep()
  assert.equal(house.chain.ranges, [[5_001, 5_001]])
})

Keeper('earnings: a small sum is paid after a day, then nothing until there is more', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'settled', 1))
  house.chain.earnings.set(1, { total: 60_000n, claimable: 60_000n } as Earnings)
  house.chain.mine(2_000)
  await house.keep()
  assert.equal(house.made(), [])
  house.chain.mine(90_000)
  await house.pass(11 * 60)
  assert.equal(house.made(), ['claim 1'])
  house.chain.earnings.set(1, { total: 0n as TokenUnits, claimable: 0n as TokenUnits })
  house.chain.mine(200_000)
  await house.pass(11 * 60)
  assert.equal(house.made(), [])
})

const WHOLE = 10n ** 18n
/** What a pool has written of a worker that signed two answers to the n-th job. */
function proofOf(n: number, workerId = 1): [string, EquivocationRecord] {
  const [worker, jobId] = [wallet(workerId), job(n)]
  const signed = (digit: string) => ({
    outputHash: toHex32(`0x${digit.repeat(64)}`),
    outputTokens: 3,
    completedAt: 1_800_000_000,
    signature: { r: toHex32(`0x${digit.repeat(64)}`), vs: toHex32(`0x${digit.repeat(64)}`) },
  })
  const completions = [signed('a'), signed('b')] as const
  const record = { worker, workerId, jobId, completions, at: toUnixMs(1_800_000_000_000) }
  return [equivocationKey(worker, jobId), record]
}
const endOf = ({ strikes }: House, key: string) =>
  (strikes.entries.get(key)?.value as EquivocationRecord | undefined)?.closed?.because

Keeper(
  'two signed answers: the proof is sent once, and done with once the chain says so',
  async () => {
    const house = openHouse()
    house.chain.stakes.set(1, WHOLE)
    const [early, earlyProof] = proofOf(1)
    await house.strikes.set(early, earlyProof)
    await house.keep()
    assert.equal(house.made(), ['prove_equivocation 1'])
    const [late, lateProof] = proofOf(2)
    await house.strikes.set(late, lateProof)
    await house.pass(2)
    assert.equal(house.made(), ['prove_equivocation 2'])
    await house.pass(60)
    assert.equal(house.made(), [])
    assert.equal([endOf(house, early), endOf(house, late)], ['punished', 'punished'])
  },
)

Keeper('a slash that a reorg took away is made again', async () => {
  const house = openHouse()
  house.chain.stakes.set(1, WHOLE)
  await house.strikes.set(...proofOf(1))
  await house.keep()
  assert.equal(house.made(), ['prove_equivocation 1'])
  house.chain.punished.clear()
  await house.pass(60)
  assert.equal(house.made(), ['prove_equivocation 1'])
})

Keeper('another sent the proof, or the worker has nothing to lose: no gas is spent', async () => {
  const house = openHouse()
  house.chain.stakes.set(1, WHOLE)
  house.chain.stakes.set(2, WHOLE - 1n)
  house.chain.punished.add(`1 ${job(1)}`)
  const [known, poor] = [proofOf(1), proofOf(1, 2)]
  for (const each of [known, poor]) await house.strikes.set(...each)
  await house.keep()
  await house.pass(5)
  assert.equal(house.made(), [])
  assert.is(endOf(house, known[0]), 'punished')
  assert.is(endOf(house, poor[0]), 'nothing_at_stake')
})

Keeper(
  'a proof that the contract will never take is given up and told of, and holds up none',
  async () => {
    const house = openHouse()
    house.chain.stakes.set(1, WHOLE)
    const [bad, good] = [proofOf(1), proofOf(2)]
    for (const each of [bad, good]) await house.strikes.set(...each)
    house.chain.outcome = (call) =>
      nameOf(call) === 1
        ? { type: 'hopeless', reason: 'BadSignature' }
        : { type: 'done', tx: '0x' as never }
    await house.keep()
    await house.pass(5)
    assert.equal(house.made(), ['prove_equivocation 1', 'prove_equivocation 2'])
    assert.is(endOf(house, bad[0]), 'refused')
    assert.is(house.told('warn').length, 1)
  },
)

Keeper('after a crash: what was dealt with is not sent again, the rest is', async () => {
  const house = openHouse()
  house.chain.stakes.set(1, WHOLE)
  house.chain.outcome = () => UNPAID
  await house.strikes.set(...proofOf(1))
  const keeper = await house.keep()
  assert.equal(house.made(), ['prove_equivocation 1'])
  await keeper.stop()
  house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
  const next = await house.keep()
  assert.equal(house.made(), ['prove_equivocation 1'])
  await house.pass(60)
  await next.stop()
  await house.keep()
  await house.pass(60)
  assert.equal(house.made(), [])
})

Keeper.run()

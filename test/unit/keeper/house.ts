import { makeKeeper } from '../../../actors/keeper/keeper.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { type Address, type TxHash, toAddress } from '../../../src/domain/ids.ts'
import type { JobStatus } from '../../../src/messages/job-view.ts'
import type { KeeperCall } from '../../../src/ports/keeper.ts'
import type { RegistryEntry } from '../../../src/ports/registry.ts'
import { CursorRegistry } from '../../fakes/chain/cursor-registry.ts'
import { job, settle, WALLET } from '../../fakes/chain/intents.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { KeeperChain } from '../../fakes/chain/keeper-chain.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

export const UNPAID = { type: 'unfunded', balanceWei: 1n, neededWei: 1_001n } as const
export const wallet = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)

const { completion, signature } = settle(job(1))
const SIGNED = { ...completion, signature }

type Each = (key: string, entry: RegistryEntry) => void

/** Whoever is written into it is told to who watches. */
class Watched extends CursorRegistry {
  #each: Each | undefined
  /** How many watches are open. */
  watching = 0
  override async set(key: string, value: unknown): Promise<void> {
    await super.set(key, value)
    const entry = this.entries.get(key)
    if (entry) this.#each?.(key, entry)
  }
  override async watch(_filter?: string, each?: Each): Promise<() => void> {
    this.#each = each
    this.watching++
    for (const [key, entry] of this.entries) each?.(key, entry)
    return () => {
      this.watching--
    }
  }
}

interface Line {
  readonly level: string
  readonly text: string
}

/** The keeper on a chain that is told what to answer. */
export class House {
  readonly chain = new KeeperChain()
  readonly clock = new ManualClock()
  readonly bus = new JobBus()
  readonly cursors = new CursorRegistry()
  readonly keys = new Watched()
  readonly wallets = new Watched()
  readonly strikes = new Watched()
  readonly lines: Line[] = []
  isSettling = false
  /** Of jobs without a proof; undefined: nobody knows them. */
  status: JobStatus | undefined
  /** As a job shows it; null: it never heard of its lock. */
  escrowTx: TxHash | null = `0x${'0c'.repeat(32)}` as TxHash

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

export const nameOf = (call: KeeperCall): string | number => {
  if (call.type === 'claim') return call.earner
  if (call.type === 'sweep') return Number(call.wallet)
  return [1, 2, 3, 4, 5].find((n) => job(n) === call.jobId) ?? call.jobId
}

export function openHouse(): House {
  const house = new House()
  house.bus.subscribe('cmd.*.*.*', (_message, _subject, respond) => {
    const { status, escrowTx } = house
    const view = { escrowTx, wallet: WALLET, lock: toCredits(8), tier: 'standard' }
    if (status) return respond({ type: 'accepted', view: { ...view, status } })
    respond(
      house.isSettling
        ? { type: 'accepted', view: { ...view, status: 'settling' }, proof: SIGNED, workerId: 1 }
        : { type: 'unknown_job' },
    )
  })
  return house
}

import { type ChainWatcher, makeChainWatcher } from '../../../actors/chain-watcher/watcher.ts'
import { makeWatcherMetrics } from '../../../actors/chain-watcher/watcher-metrics.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { ChainFact } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'
import { CursorRegistry } from './cursor-registry.ts'
import { FakeChain, hashOf } from './fake-chain.ts'
import { job, WALLET } from './intents.ts'
import { JobBus } from './job-bus.ts'
import { ManualClock, rest } from './manual-clock.ts'
import { RecordingLedger } from './recording-ledger.ts'
import { ToldFacts } from './told-facts.ts'

/** A watcher on a chain of its own, the ledger and the jobs it speaks to. */
export class WatcherHouse {
  readonly chain = new FakeChain()
  readonly ledger = new RecordingLedger()
  readonly bus = new JobBus()
  readonly registry = new CursorRegistry()
  readonly clock = new ManualClock()
  readonly wallets = new ToldFacts()
  readonly metrics = makeMetrics()
  readonly #figures = makeWatcherMetrics(this.metrics)
  /** What jobs were told, and took. */
  readonly taken: JobCommand[] = []
  readonly deaf = new Set<JobId>()
  /** So much may wait to be taken. */
  untakenMax = 100_000
  reply: 'accepted' | 'unknown_job' = 'accepted'

  listen(): void {
    this.bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
      const command = message as JobCommand
      if (this.deaf.has(command.jobId)) return
      this.taken.push(command)
      respond({ type: this.reply })
    })
  }

  async watch(
    confirmations = 1,
    load: (wallet: Address) => Promise<void> = async () => {},
  ): Promise<ChainWatcher> {
    const { chain, ledger, bus, registry, clock } = this
    const common = { ledger, bus, registry, clock, log: makeLog('test', 'silent') }
    const tells = { ...this.wallets.ports, load }
    const where = { reader: chain, confirmations, deployBlock: 1, untakenMax: this.untakenMax }
    const watcher = makeChainWatcher({ ...common, ...tells, ...where, metrics: this.#figures })
    await watcher.start()
    await rest()
    return watcher
  }

  settled(...numbers: number[]): void {
    this.chain.mine((at) =>
      numbers.map((n, logIndex): ChainFact => {
        const credits = { charged: toCredits(8), returned: toCredits(2) }
        const about = { jobId: job(n), wallet: WALLET, workerId: 1, outputHash: hashOf('text') }
        return { ...at, ...about, ...credits, logIndex, type: 'settled' }
      }),
    )
  }

  locked(n: number): void {
    this.chain.mine((at) => [
      {
        ...{ ...at, logIndex: 0, type: 'locked' },
        ...{ jobId: job(n), wallet: WALLET, credits: toCredits(10) },
      },
    ])
  }

  /** A lock that found too few credits. */
  passedOver(n: number): void {
    const reason = 'InsufficientCredits'
    this.chain.mine((at) => [{ ...at, logIndex: 0, type: 'skipped', jobId: job(n), reason }])
  }

  refunded(n: number): void {
    this.chain.mine((at) => [
      {
        ...at,
        logIndex: 0,
        type: 'refunded',
        jobId: job(n),
        wallet: WALLET,
        credits: toCredits(8),
      },
    ])
  }

  disputed(n: number): void {
    this.chain.openDispute(job(n), WALLET, hashOf('another text'))
  }

  resolved(n: number, upheld: boolean): void {
    this.chain.resolveDispute(job(n), WALLET, upheld)
  }

  deposited(): void {
    this.chain.mine((at) => [
      {
        ...at,
        logIndex: 0,
        type: 'deposited',
        wallet: WALLET,
        credits: toCredits(100),
        at: toUnixMs(1),
      },
    ])
  }

  told(): string[] {
    return this.taken.splice(0).map((command) => {
      const block = 'block' in command ? command.block : ''
      return `${command.type} ${[1, 2, 3, 4, 5].find((n) => job(n) === command.jobId)} ${block}`
    })
  }

  /** The last block that a new watcher would not read again. */
  saved(): number | undefined {
    const value = this.registry.entries.get('watcher')?.value as
      | { trail: { block: number }[] }
      | undefined
    return value?.trail.at(-1)?.block
  }
}

import { pino } from 'pino'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import { addMs, type DurationMs } from '../../../src/domain/time.ts'
import type { BurstTerms } from '../../../src/ports/burst-buckets.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import type { NetworkReader } from '../../../src/ports/network-chain.ts'
import type { Registry } from '../../../src/ports/registry.ts'
import type { SignIn, WalletReader } from '../../../src/ports/web-chain.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import type { WebConfig } from '../../../src/web/api.ts'
import type { StaticFile } from '../../../src/web/http/static.ts'
import { makeWeb, type Web } from '../../../src/web/web.ts'
import { defaultNames } from '../default-names.ts'
import { CuttableBus } from '../edge/cuttable-bus.ts'
import { MemoryBursts } from '../edge/memory-bursts.ts'
import { MemoryJobViews } from '../edge/memory-job-views.ts'
import { WalletLedger } from '../edge/wallet-ledger.ts'
import { WatchedRegistry } from '../edge/watched-registry.ts'
import { MemoryCatalogue } from '../memory-catalogue.ts'
import { noMetrics } from '../no-metrics.ts'

/** A web process on a free port, without a chain but for what the test brings. */
export interface WebStage {
  /** Where it really listens. */
  readonly address: string
  readonly web: Web
  readonly bus: CuttableBus
  readonly ledger: WalletLedger
  readonly jobViews: MemoryJobViews
  readonly catalogue: MemoryCatalogue
  /** Moves the web process's time ahead. */
  elapse(span: DurationMs): void
}

export interface WebStageOptions {
  readonly origin: string
  readonly signIn: SignIn
  readonly sessions?: Registry
  readonly nonces?: Registry
  readonly files?: ReadonlyMap<string, StaticFile>
  readonly burst?: BurstTerms
  readonly networkReader?: NetworkReader
}

const NOBODY = toAddress(`0x${'0'.repeat(40)}`)
const HOUR_MS = 60 * 60 * 1_000

export async function openWebStage(options: WebStageOptions): Promise<WebStage> {
  let aheadMs = 0
  const clock: Clock = { ...systemClock, now: () => addMs(systemClock.now(), aheadMs) }
  const bus = new CuttableBus()
  const ledger = new WalletLedger()
  const jobViews = new MemoryJobViews()
  const catalogue = new MemoryCatalogue()
  const web = makeWeb(
    {
      ...{ bus, ledger, clock, reader: emptyChain, signIn: options.signIn },
      networkReader: options.networkReader ?? silentChain,
      ...{ relay: undefined, faucet: undefined, catalogue, metrics: noMetrics },
      ...{ keys: new WatchedRegistry(), keyrings: new WatchedRegistry() },
      sessions: options.sessions ?? new WatchedRegistry(),
      nonces: options.nonces ?? new WatchedRegistry(),
      walletSettings: new WatchedRegistry(),
      keyUses: { note: async () => {}, lastUse: async () => null },
      ...{ jobViews, bursts: new MemoryBursts(clock) },
      log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
    },
    {
      names: defaultNames,
      origin: options.origin,
      docsUrl: 'http://docs.test',
      trustProxy: false,
      burst: options.burst ?? { perSecond: 1, burst: 0 },
      sessionMs: 12 * HOUR_MS,
      jobWindowMs: 120_000,
      leaveMs: 0,
      drainMs: 15_000,
      config: CONFIG,
      files: options.files ?? new Map(),
    },
  )
  return {
    address: await web.listen({ host: '127.0.0.1', port: 0 }),
    ...{ web, bus, ledger, jobViews, catalogue },
    elapse: (span) => {
      aheadMs += span
    },
  }
}

const emptyChain: WalletReader = {
  thawing: async () => ({ credits: 0n as never, endsAt: null }),
  movements: async () => ({ movements: [], next: null }),
  depositAddress: (wallet: Address) => wallet,
  tokensOf: async () => 0n as never,
  head: async () => 1,
  arrivals: async () => [],
  disputedAt: async () => null,
}

const noAnswer = async (): Promise<never> => {
  throw new ChainUnavailable('the chain of this stage does not answer')
}
const silentChain: NetworkReader = {
  ...{ solvency: noAnswer, payeeOf: noAnswer, inclusion: noAnswer, disputeEnd: noAnswer },
}

export const RPC_URL = 'http://rpc.test:8545'
const CONFIG: WebConfig = {
  service_prefix: 'svc',
  chain: {
    ...{ id: 31_337, name: 'Test chain', rpc_url: RPC_URL },
    coin: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  },
  explorer_url: 'http://explorer.test',
  contracts: {
    ...{ job_escrow: NOBODY, worker_staking: NOBODY, usdg: NOBODY, r_compute: NOBODY },
    ...{ model_registry: NOBODY, governor: NOBODY, timelock: NOBODY, deploy_block: 0 },
  },
  ...{ base_url: 'http://api.test/v1', docs_url: 'http://docs.test' },
  ...{ walletconnect_project_id: null, development: false, relays_deposits: false },
  ...{ minimum_purchase_credits: 100, units_per_credit: 10_000 },
  ...{ dispute_window_seconds: 60, job_window_seconds: 120, session_hours: 12, tiers: {} },
}

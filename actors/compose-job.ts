import type { DependencyContainer } from 'tsyringe'
import type { ActorsConfig } from '../src/config/schema.ts'
import type { Credits } from '../src/domain/credits.ts'
import type { Address } from '../src/domain/ids.ts'
import type { Ledger } from '../src/ports/ledger.ts'
import { TOKENS } from '../src/ports/tokens.ts'
import type { ResourceKind } from '../src/runtime/ownership.ts'
import { timedJournal } from '../src/runtime/timed-journal.ts'
import type { Traces } from '../src/telemetry/traces.ts'
import type { LoadWallet } from './account/loader.ts'
import { jobKind } from './job/actor.ts'
import { rests } from './job/due.ts'
import type { Edges } from './job/edges.ts'
import { happeningsOf } from './job/facts.ts'
import { JoinClaims } from './job/join-claims.ts'
import { KeyProofs } from './job/key-proofs.ts'
import { JobMeter } from './job/meter.ts'
import type { Pools } from './job/pools.ts'
import { jobPartitions } from './job/resource.ts'
import { JobTraces } from './job/traces.ts'
import { viewIfAny } from './job/view.ts'
import { JobFactTeller } from './job-facts/teller.ts'
import { JobViewWriter } from './job-views/writer.ts'

interface JobHost {
  readonly hostId: string
  readonly pools: Pools
  readonly edges: Edges
  readonly jobEscrow: Address
  readonly load: LoadWallet
  readonly traces?: Traces | undefined
}

/** The partitions of the jobs. */
export function jobs(
  c: DependencyContainer,
  config: ActorsConfig,
  { hostId, pools, edges, jobEscrow, load, traces }: JobHost,
): ResourceKind {
  const bus = c.resolve(TOKENS.bus)
  const clock = c.resolve(TOKENS.clock)
  const ledger = c.resolve(TOKENS.ledger)
  const log = c.resolve(TOKENS.log)
  const metrics = c.resolve(TOKENS.metrics)
  const interest = c.resolve(TOKENS.eventInterest)
  const isWatched = (wallet: Address) => interest.of(wallet)
  const keyProofs = new KeyProofs({ keys: c.resolve(TOKENS.keys), clock, log })
  const joinClaims = new JoinClaims({ joins: c.resolve(TOKENS.joins), clock })
  return jobPartitions({
    hostId,
    kind: jobKind(
      { bus, clock, ledger, pools, edges, keyProofs, joinClaims, isWatched },
      { disputeWindowMs: config.DISPUTE_WINDOW_SECONDS * 1_000 },
    ),
    bus,
    clock,
    journal: timedJournal(c.resolve(TOKENS.jobJournal), metrics, clock),
    log,
    meter: new JobMeter({ metrics, clock, log }),
    traces: traces && new JobTraces({ traces, clock }),
    facts: new JobFactTeller({
      facts: c.resolve(TOKENS.facts),
      interest,
      walletOf: (job) => (job.status === 'abandoned' ? undefined : job.terms.wallet),
      viewOf: viewIfAny,
      happeningsOf,
      remaining: (wallet) => spendable(ledger, load, wallet),
      escrowAddress: jobEscrow,
      clock,
      log,
    }),
    views: new JobViewWriter({
      views: c.resolve(TOKENS.jobViews),
      archive: c.resolve(TOKENS.jobArchive),
      viewOf: viewIfAny,
      rests,
      clock,
      log,
    }),
  })
}

/** What a wallet can spend now; one that the ledger has forgotten is read from the chain. */
async function spendable(ledger: Ledger, load: LoadWallet, wallet: Address): Promise<Credits> {
  let balance = await ledger.balance(wallet)
  if (balance === 'unknown_wallet') {
    await load(wallet)
    balance = await ledger.balance(wallet)
  }
  if (balance === 'unknown_wallet') throw new Error('the ledger forgot the wallet at once')
  return balance.remaining
}

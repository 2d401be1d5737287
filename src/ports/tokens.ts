import type { InjectionToken } from 'tsyringe'
import type { WalletWebhooks } from '../messages/webhook.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { BurstBuckets } from './burst-buckets.ts'
import type { Bus } from './bus.ts'
import type { Catalogue, ModelReader } from './catalogue.ts'
import type { Clock } from './clock.ts'
import type { DeliveryHistory } from './delivery-history.ts'
import type { EscrowReader, EscrowWriter } from './escrow.ts'
import type { EventInterest } from './event-interest.ts'
import type { FactReader } from './fact-reader.ts'
import type { Facts } from './facts.ts'
import type { JobArchive, JobViews } from './job-views.ts'
import type { Journal, JournalReader } from './journal.ts'
import type { KeeperReader, KeeperWriter } from './keeper.ts'
import type { KeyUses } from './key-uses.ts'
import type { Ledger } from './ledger.ts'
import type { Mirror } from './mirror.ts'
import type { NetworkReader } from './network-chain.ts'
import type { Outputs } from './outputs.ts'
import type { Registry } from './registry.ts'
import type { SetAsides } from './set-asides.ts'
import type { Settings } from './settings.ts'
import type { StoreFile } from './store-file.ts'
import type { Vouchers } from './vouchers.ts'
import type { DepositRelay, Faucet, SignIn, WalletReader } from './web-chain.ts'
import type { WebhookQueues } from './webhook-queues.ts'
import type { WebhookSender, WebhookTargets } from './webhook-sender.ts'

/**
 * What a process is composed of, by name. Each `compose.ts` registers the real adapters under these
 * tokens; a test registers others.
 */
export const TOKENS = {
  log: Symbol('log') as InjectionToken<Log>,
  metrics: Symbol('metrics') as InjectionToken<Metrics>,
  clock: Symbol('clock') as InjectionToken<Clock>,
  bus: Symbol('bus') as InjectionToken<Bus>,
  ledger: Symbol('ledger') as InjectionToken<Ledger>,
  outputs: Symbol('outputs') as InjectionToken<Outputs>,
  storeFile: Symbol('storeFile') as InjectionToken<StoreFile>,
  bursts: Symbol('bursts') as InjectionToken<BurstBuckets>,
  jobJournal: Symbol('jobJournal') as InjectionToken<Journal>,
  jobReader: Symbol('jobReader') as InjectionToken<JournalReader>,
  jobViews: Symbol('jobViews') as InjectionToken<JobViews>,
  jobArchive: Symbol('jobArchive') as InjectionToken<JobArchive>,
  outbox: Symbol('outbox') as InjectionToken<Journal>,
  keys: Symbol('keys') as InjectionToken<Registry>,
  placements: Symbol('placements') as InjectionToken<Registry>,
  cursors: Symbol('cursors') as InjectionToken<Registry>,
  facts: Symbol('facts') as InjectionToken<Facts>,
  factReader: Symbol('factReader') as InjectionToken<FactReader>,
  deliveryHistory: Symbol('deliveryHistory') as InjectionToken<DeliveryHistory>,
  settings: Symbol('settings') as InjectionToken<Settings>,
  /** Bucket LOW. */
  lowMarks: Symbol('lowMarks') as InjectionToken<Registry>,
  setAsides: Symbol('setAsides') as InjectionToken<SetAsides>,
  vouchers: Symbol('vouchers') as InjectionToken<Vouchers>,
  /** Bucket JOINS. */
  joins: Symbol('joins') as InjectionToken<Registry>,
  /** Bucket LISTENERS. */
  listeners: Symbol('listeners') as InjectionToken<Registry>,
  /** Bucket MODELS. */
  models: Symbol('models') as InjectionToken<Registry>,
  catalogue: Symbol('catalogue') as InjectionToken<Catalogue>,
  modelReader: Symbol('modelReader') as InjectionToken<ModelReader>,
  /** Bucket WALLETS. */
  wallets: Symbol('wallets') as InjectionToken<Registry>,
  /** Bucket STRIKES. */
  strikes: Symbol('strikes') as InjectionToken<Registry>,
  keeperReader: Symbol('keeperReader') as InjectionToken<KeeperReader>,
  keeperWriter: Symbol('keeperWriter') as InjectionToken<KeeperWriter>,
  /** Bucket WEBHOOKS. */
  webhooks: Symbol('webhooks') as InjectionToken<Registry>,
  /** The same, in memory. */
  webhookMirror: Symbol('webhookMirror') as InjectionToken<Mirror<WalletWebhooks>>,
  webhookQueues: Symbol('webhookQueues') as InjectionToken<WebhookQueues>,
  eventInterest: Symbol('eventInterest') as InjectionToken<EventInterest>,
  webhookSender: Symbol('webhookSender') as InjectionToken<WebhookSender>,
  webhookTargets: Symbol('webhookTargets') as InjectionToken<WebhookTargets>,
  keyUses: Symbol('keyUses') as InjectionToken<KeyUses>,
  /** Bucket KEYRINGS. */
  keyrings: Symbol('keyrings') as InjectionToken<Registry>,
  /** Bucket SESSIONS. */
  sessions: Symbol('sessions') as InjectionToken<Registry>,
  /** Bucket NONCES. */
  nonces: Symbol('nonces') as InjectionToken<Registry>,
  /** Bucket SETTINGS. */
  walletSettings: Symbol('walletSettings') as InjectionToken<Registry>,
  signIn: Symbol('signIn') as InjectionToken<SignIn>,
  walletReader: Symbol('walletReader') as InjectionToken<WalletReader>,
  networkReader: Symbol('networkReader') as InjectionToken<NetworkReader>,
  /** Undefined: this process has no key that pays for gas. */
  depositRelay: Symbol('depositRelay') as InjectionToken<DepositRelay | undefined>,
  faucet: Symbol('faucet') as InjectionToken<Faucet | undefined>,
  escrowReader: Symbol('escrowReader') as InjectionToken<EscrowReader>,
  escrowWriter: Symbol('escrowWriter') as InjectionToken<EscrowWriter>,
}

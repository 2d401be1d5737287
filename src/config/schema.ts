import { z } from 'zod'
import {
  flag,
  originsList,
  port,
  positiveNumber,
  privateKey,
  secondsList,
  secretKeys,
  trustedProxies,
  wholeNumber,
} from './read.ts'
import {
  chain,
  disputeWindow,
  docsUrl,
  leaving,
  naming,
  redis,
  shared,
  window,
} from './shared-settings.ts'
import { exactlyOneSigner, sendersDiffer, signerSettings } from './signer-settings.ts'
import { sampling, tracing } from './tracing-settings.ts'

/**
 * Every setting of every role, with its default; of the web app: web-schema.ts; of the agent: worker-schema.ts.
 * Operators read these.
 */

export const edgeSchema = z.object({
  ...shared,
  ...tracing,
  ...sampling,
  ...redis,
  ...window,
  ...leaving,
  ...naming,
  EDGE_HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  EDGE_PORT: port(8080).describe('port of the public API'),
  EDGE_TRUST_PROXY: trustedProxies().describe(
    "whose x-forwarded-for tells the caller's address: false (nobody's; right without a proxy), " +
      "the proxies' addresses or networks, comma-separated, or how many proxies there are in a " +
      'row, where nobody can reach this port but through them. true believes a header that any ' +
      'client can write, and so lets it pass by the burst limit',
  ),
  EDGE_BURST: wholeNumber(200, 0, 1_000_000).describe(
    'requests that one address may send at once, counted over all edges; 0: no limit',
  ),
  EDGE_BURST_PER_SECOND: wholeNumber(50, 1, 1_000_000).describe(
    'requests a second that one address may go on with',
  ),
  EDGE_CORS_ORIGINS: originsList().describe(
    'web pages whose scripts may use the API, as https://app.example.com, comma-separated: that of ' +
      'the web app, for its playground. By default none',
  ),
  EDGE_LOCK_WAIT_SECONDS: wholeNumber(10, 1, 110).describe(
    'new requests are refused (503) while a lock has waited this long for its block; on a chain ' +
      'with slow blocks, some blocks',
  ),
  CONTRACTS_FILE: chain.CONTRACTS_FILE,
  DOCS_URL: docsUrl,
})
export type EdgeConfig = z.infer<typeof edgeSchema>

const ACTOR_KINDS = [
  'job',
  'account',
  'settlement',
  'chain-watcher',
  'job-views',
  'catalogue',
  'keeper',
  'webhook',
] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]
/** Of new workers at the network's expense, by default. */
export const REGISTRATIONS_PER_HOUR = 300

const actorsSettings = z.object({
  ...shared,
  ...tracing,
  ...redis,
  ...chain,
  ...window,
  ...naming,
  NATS_MAX_FILE_STORE_GB: positiveNumber(10).describe(
    'max_file_store of each NATS server (MAX_FILE_STORE in nats.conf), in GB of 1024^3 bytes, for the ' +
      'alert NatsFills to compare with: NATS does not tell',
  ),
  ACTOR_KINDS: z
    .string()
    .default(ACTOR_KINDS.join(','))
    .transform((text) => text.split(',').map((kind) => kind.trim()))
    .pipe(z.array(z.enum(ACTOR_KINDS)))
    .describe(`kinds of actors this host runs, of ${ACTOR_KINDS.join(', ')}`),
  DISPUTE_WINDOW_SECONDS: disputeWindow,
  ...signerSettings('LOCKER', 'lock lane'),
  ...signerSettings('SETTLER', 'settle lane'),
  WITHDRAWAL_SIGNER_PRIVATE_KEY: privateKey()
    .optional()
    .describe(
      'signs vouchers for withdrawals at once; unset: none are offered. The same for all hosts',
    ),
  ESCROW_ROUTE_AT: z
    .enum(['included', 'broadcast'])
    .default('included')
    .describe('route a job once its lock is included, or already once it is broadcast'),
  CHAIN_CONFIRMATIONS: wholeNumber(1, 1).describe('blocks after which a settlement is final'),
  CHAIN_STUCK_SECONDS: wholeNumber(15, 1, 3_600).describe(
    'after so long, and three blocks without it, a transaction is sent again for higher fees',
  ),
  CHAIN_MAX_FEE_GWEI: positiveNumber(500).describe(
    "most that a transaction offers for a unit of gas, in billionths of the chain's coin",
  ),
  CHAIN_GAS_PERCENT: wholeNumber(100, 100, 10_000).describe(
    'of the usual gas limits: above 100 where gas pays for more than execution, as on some rollups',
  ),
  BATCH_ITEMS_MAX: wholeNumber(200, 1).describe('most jobs in one transaction'),
  WORKER_REGISTRATIONS_PER_HOUR: wholeNumber(REGISTRATIONS_PER_HOUR, 0).describe(
    'new workers that the settle lane registers on chain at its own expense, at once and in an hour; ' +
      'anybody can make keys, and each costs gas. More are told to dial again; 0: no limit',
  ),
  KEEPER_PRIVATE_KEY: privateKey()
    .optional()
    .describe(
      'pays the gas of the keeper, which gives forgotten locks back, ends disputes that nobody ' +
        'decided, sweeps deposit addresses and pays out earnings; it needs some coin and no role. ' +
        'Unset: no keeper runs in this host',
    ),
  KEEPER_CLAIM_MIN_CREDITS: wholeNumber(100, 1).describe(
    'earnings from which the keeper pays a worker, or the treasury; smaller ones once a day',
  ),
  KEEPER_MAX_FEE_GWEI: positiveNumber(200).describe(
    "most that the keeper pays for a unit of gas, in billionths of the chain's coin; dearer: it waits",
  ),
  KEEPER_CLAIM_MAX_FEE_GWEI: positiveNumber(20).describe(
    'the same for paying out earnings, which lose nothing by waiting',
  ),
  WEBHOOK_SECRET_KEYS: secretKeys()
    .optional()
    .describe(
      'keys that the secrets of webhooks are sealed with, comma-separated; the first seals, all of ' +
        'them open, so a new one goes last until all hosts have it, then first. The same for all hosts. ' +
        'Unset: no webhooks in this host',
    ),
  WEBHOOK_RETRY_SECONDS: secondsList('0,30,300,1800,7200').describe(
    'how long to wait before each attempt of a delivery, comma-separated: before the first, then after ' +
      'each failure. When the last of them has failed, so has the webhook. The same for all hosts',
  ),
  WEBHOOK_DEV_TARGETS: flag().describe(
    'for development: webhooks may also go to http: and to this machine, as in npm start',
  ),
})
const lanesHaveSigners = exactlyOneSigner('LOCKER', 'SETTLER')
// A host without the lanes is given no key of theirs.
export const actorsSchema = actorsSettings.superRefine((config, context) => {
  if (!config.ACTOR_KINDS.includes('settlement')) return
  lanesHaveSigners(config, context)
  sendersDiffer(config, context)
})
export type ActorsConfig = z.infer<typeof actorsSchema>

export const poolSchema = z.object({
  ...shared,
  ...tracing,
  ...redis,
  ...chain,
  ...leaving,
  POOL_HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  POOL_PORT: port(50_051).describe('port of the worker protocol (gRPC)'),
  POOL_TLS_CERT: z.string().optional().describe('PEM file of the certificate chain; unset: no TLS'),
  POOL_TLS_KEY: z.string().optional().describe('PEM file of the private key of POOL_TLS_CERT'),
  POOL_INSECURE: flag().describe(
    'listen for other machines without TLS: only where something before it adds TLS',
  ),
  POOL_CANARY: flag('true').describe(
    'give a worker no paid job of a model before an unpaid one has shown that it serves it; false ' +
      'only where workers are trusted',
  ),
  POOL_WORKERS_MAX: wholeNumber(5_000, 1).describe('workers connected to this pool at once'),
})
export type PoolConfig = z.infer<typeof poolSchema>

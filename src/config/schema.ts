import { z } from 'zod'
import {
  address,
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
import { exactlyOneSigner, signerSettings } from './signer-settings.ts'
import { sampling, tracing } from './tracing-settings.ts'

/** Every setting of every role, with its default; of the web app: web-schema.ts. Operators read these. */

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
        'them open, so a new one goes first. The same for all hosts. Unset: no webhooks in this host',
    ),
  WEBHOOK_RETRY_SECONDS: secondsList('0,30,300,1800,7200').describe(
    'how long to wait before each attempt of a delivery, comma-separated: before the first, then after ' +
      'each failure. When the last of them has failed, so has the webhook. The same for all hosts',
  ),
  WEBHOOK_DEV_TARGETS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      'for development: webhooks may also go to http: and to this machine, as in npm start',
    ),
})
const lanesHaveSigners = exactlyOneSigner('LOCKER', 'SETTLER')
// A host without the lanes is given no key of theirs.
export const actorsSchema = actorsSettings.superRefine((config, context) => {
  if (config.ACTOR_KINDS.includes('settlement')) lanesHaveSigners(config, context)
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
  POOL_INSECURE: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('listen for other machines without TLS: only where something before it adds TLS'),
  POOL_CANARY: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe(
      'give a worker no paid job of a model before an unpaid one has shown that it serves it; false ' +
        'only where workers are trusted',
    ),
  POOL_WORKERS_MAX: wholeNumber(5_000, 1).describe('workers connected to this pool at once'),
})
export type PoolConfig = z.infer<typeof poolSchema>

export const workerSchema = z.object({
  LOG_LEVEL: shared.LOG_LEVEL,
  ...tracing,
  POOL_URL: z
    .string()
    .default('127.0.0.1:50051')
    .describe(
      'any pool: host:port or http:// without TLS, https:// or grpcs:// with it. Several, separated ' +
        'by commas, or a name that leads to several: when one is lost, the next is dialled at once',
    ),
  POOL_CA: z
    .string()
    .default('')
    .describe(
      'PEM file of the authorities that may have signed the certificate of the pool, for one with an ' +
        'authority of its own; those that this machine trusts by default',
    ),
  WORKER_HOME: z
    .string()
    .default('')
    .describe(
      'folder of this agent: its key, and what it must remember; ~/.config/svc-worker by default',
    ),
  WORKER_KEYSTORE: z
    .string()
    .default('')
    .describe('encrypted key file (web3 secret storage); keystore.json in WORKER_HOME by default'),
  WORKER_PASSWORD: z.string().default('').describe('opens the keystore; a file is safer'),
  WORKER_PASSWORD_FILE: z.string().default('').describe('file with the password of the keystore'),
  WORKER_PRIVATE_KEY: privateKey()
    .optional()
    .describe('signs completions, in place of a keystore; for development'),
  WORKER_PAYEE: address().optional().describe('receives earnings; the worker itself by default'),
  WORKER_ENGINE: z
    .enum(['openai', 'llama', 'sample'])
    .default('openai')
    .describe(
      'what generates answers: an OpenAI-compatible server, llama.cpp inside the agent, or sample ' +
        'text to try a network',
    ),
  WORKER_MODELS: z
    .string()
    .default('')
    .describe(
      'model ids to serve, comma-separated, each as id or id=upstream-name (for the llama engine ' +
        'id=/path/model.gguf); empty: all that the engine has. The pool says which of them the catalogue on chain lists: only those get jobs',
    ),
  WORKER_SLOTS: wholeNumber(8, 1).describe('jobs at once'),
  WORKER_REGION: z.string().default('local').describe('free text, like eu-west'),
  UPSTREAM_URL: z
    .string()
    .default('http://127.0.0.1:11434/v1')
    .describe('OpenAI-compatible server, for the openai engine'),
  UPSTREAM_API_KEY: z.string().default('').describe('bearer token for the upstream'),
  UPSTREAM_CONTEXT: wholeNumber(0).describe(
    'context in tokens that the upstream was started with; 0: as it says itself',
  ),
  UPSTREAM_SILENCE_SECONDS: wholeNumber(30, 1, 600).describe(
    'an upstream that falls silent for so long in the middle of an answer has failed',
  ),
  LLAMA_CONTEXT: wholeNumber(0).describe(
    'for the llama engine: tokens a job may have, prompt and answer together; 0: as many as the ' +
      'model was trained on, fewer where they do not fit in memory WORKER_SLOTS times',
  ),
  LLAMA_GPU_LAYERS: z
    .union([z.literal('auto'), wholeNumber(0)])
    .default('auto')
    .describe('for the llama engine: layers on the GPU; auto: as many as fit; 0: CPU alone'),
  LLAMA_THREADS: wholeNumber(0, 0, 1_024).describe(
    'for the llama engine: CPU threads; 0: one a core. More than there are idle cores is slower, ' +
      'a thousand times at worst, since they wait for one another at each step',
  ),
  LLAMA_PACKAGE: z
    .string()
    .default('')
    .describe(
      'for the llama engine: folder where node-llama-cpp was installed; beside the agent or in the ' +
        'working directory by default',
    ),
  WORKER_INSECURE: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('talk to a pool on another machine without TLS: anybody between reads the prompts'),
  WORKER_RPC_URL: z
    .string()
    .default('')
    .describe(
      "JSON-RPC of the settlement chain, to read earnings and stake and to send the worker's own " +
        'transactions; the agent itself works without it',
    ),
  WORKER_ESCROW: address().optional().describe('JobEscrow; as the pool says by default'),
  WORKER_STAKING: address().optional().describe('WorkerStaking; as the pool says by default'),
  WORKER_SAMPLE_TOKENS: wholeNumber(60, 1).describe(
    'about how long an answer of the sample engine is, in tokens',
  ),
  WORKER_SAMPLE_TOKEN_MS: wholeNumber(5).describe(
    'time the sample engine takes a token, in milliseconds; 0: as fast as it can',
  ),
})
export type WorkerConfig = z.infer<typeof workerSchema>

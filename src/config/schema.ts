import { z } from 'zod'
import { address, port, privateKey, wholeNumber } from './read.ts'

/** Every setting of every role, with its default. Operators read this file. */

const shared = {
  NATS_URL: z.string().default('nats://127.0.0.1:4222').describe('NATS servers, comma-separated'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('least level that is logged'),
}
const redis = {
  REDIS_URL: z.string().default('redis://127.0.0.1:6379').describe('Redis server'),
}
const chain = {
  RPC_URL: z.string().default('http://127.0.0.1:8545').describe('JSON-RPC of the settlement chain'),
  CONTRACTS_FILE: z
    .string()
    .default('.svc/contracts.json')
    .describe('address file that the deployment wrote'),
}
const window = {
  // Anyone may take back a lock 180 s old: the window must end before, with time to settle.
  JOB_WINDOW_SECONDS: wholeNumber(120, 1, 150).describe('a job not finished by then is refunded'),
}

export const edgeSchema = z.object({
  ...shared,
  ...redis,
  ...window,
  EDGE_HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  EDGE_PORT: port(8080).describe('port of the public API'),
  EDGE_TRUST_PROXY: z
    .string()
    .default('false')
    .transform((text) => (text === 'true' ? true : text === 'false' ? false : text))
    .describe('whether x-forwarded-for is believed: true, false, or the proxies, comma-separated'),
  CONTRACTS_FILE: chain.CONTRACTS_FILE,
  DOCS_URL: z
    .string()
    .default('http://127.0.0.1:8080/docs')
    .describe('documentation site that error.docs links to'),
})
export type EdgeConfig = z.infer<typeof edgeSchema>

export const ACTOR_KINDS = ['job', 'account', 'settlement', 'chain-watcher'] as const
export const actorsSchema = z.object({
  ...shared,
  ...redis,
  ...chain,
  ...window,
  ACTOR_KINDS: z
    .string()
    .default(ACTOR_KINDS.join(','))
    .transform((text) => text.split(',').map((kind) => kind.trim()))
    .pipe(z.array(z.enum(ACTOR_KINDS)))
    .describe(`kinds of actors this host runs, of ${ACTOR_KINDS.join(', ')}`),
  LOCKER_PRIVATE_KEY: privateKey().describe('key of the lock lane'),
  SETTLER_PRIVATE_KEY: privateKey().describe('key of the settle lane'),
  ESCROW_ROUTE_AT: z
    .enum(['included', 'broadcast'])
    .default('included')
    .describe('route a job once its lock is included, or already once it is broadcast'),
  CHAIN_CONFIRMATIONS: wholeNumber(1, 1).describe('blocks after which a settlement is final'),
  BATCH_ITEMS_MAX: wholeNumber(200, 1).describe('most jobs in one transaction'),
})
export type ActorsConfig = z.infer<typeof actorsSchema>

export const poolSchema = z.object({
  ...shared,
  ...redis,
  ...chain,
  POOL_HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  POOL_PORT: port(50_051).describe('port of the worker protocol (gRPC)'),
  POOL_TLS_CERT: z.string().optional().describe('PEM file of the certificate chain; unset: no TLS'),
  POOL_TLS_KEY: z.string().optional().describe('PEM file of the private key of POOL_TLS_CERT'),
  POOL_WORKERS_MAX: wholeNumber(5_000, 1).describe('workers connected to this pool at once'),
})
export type PoolConfig = z.infer<typeof poolSchema>

export const workerSchema = z.object({
  LOG_LEVEL: shared.LOG_LEVEL,
  POOL_URL: z
    .string()
    .default('127.0.0.1:50051')
    .describe('any pool: host:port or http:// without TLS, https:// or grpcs:// with it'),
  WORKER_PRIVATE_KEY: privateKey().describe('signs completions'),
  WORKER_PAYEE: address().optional().describe('receives earnings; the worker itself by default'),
  WORKER_ENGINE: z.enum(['openai', 'sample']).default('sample').describe('what generates answers'),
  WORKER_MODELS: z
    .string()
    .default('')
    .describe(
      'catalogue ids to serve, comma-separated, each as id or id=upstream-name; empty: all that the engine has',
    ),
  WORKER_SLOTS: wholeNumber(8, 1).describe('jobs at once'),
  WORKER_REGION: z.string().default('local').describe('free text, like eu-west'),
  UPSTREAM_URL: z
    .string()
    .default('http://127.0.0.1:11434/v1')
    .describe('OpenAI-compatible server, for the openai engine'),
  UPSTREAM_API_KEY: z.string().default('').describe('bearer token for the upstream'),
  WORKER_SAMPLE_TOKENS: wholeNumber(60, 1).describe(
    'about how long an answer of the sample engine is, in tokens',
  ),
  WORKER_SAMPLE_TOKEN_MS: wholeNumber(5).describe(
    'time the sample engine takes a token, in milliseconds; 0: as fast as it can',
  ),
})
export type WorkerConfig = z.infer<typeof workerSchema>

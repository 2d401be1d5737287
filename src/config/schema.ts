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
  JOB_WINDOW_SECONDS: wholeNumber(120, 1).describe('a job not finished by then is refunded'),
}

export const edgeSchema = z.object({
  ...shared,
  ...redis,
  ...window,
  EDGE_HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  EDGE_PORT: port(8080).describe('port of the public API'),
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
})
export type PoolConfig = z.infer<typeof poolSchema>

export const workerSchema = z.object({
  LOG_LEVEL: shared.LOG_LEVEL,
  POOL_URL: z.string().default('127.0.0.1:50051').describe('host:port of any pool'),
  WORKER_PRIVATE_KEY: privateKey().describe('signs completions'),
  WORKER_PAYEE: address().optional().describe('receives earnings; the worker itself by default'),
  WORKER_ENGINE: z.enum(['openai', 'sample']).default('sample').describe('what generates answers'),
  WORKER_MODELS: z
    .string()
    .default('')
    .describe('catalogue ids to serve, comma-separated; empty: what the upstream lists'),
  WORKER_SLOTS: wholeNumber(8, 1).describe('jobs at once'),
  WORKER_REGION: z.string().default('local').describe('free text, like eu-west'),
  UPSTREAM_URL: z
    .string()
    .default('http://127.0.0.1:11434/v1')
    .describe('OpenAI-compatible server, for the openai engine'),
  UPSTREAM_API_KEY: z.string().default('').describe('bearer token for the upstream'),
})
export type WorkerConfig = z.infer<typeof workerSchema>

/**
 * What each role may do in Redis: the one table that its users are made from (deploy/redis-users.acl), and
 * the threat model is written after. A role is its user's name. `operator` is for tools and for whoever
 * mends things, `auditor` only reads.
 *
 * Redis asks the permission of whoever runs a script for each command in it, so a role needs what its
 * scripts do, and running scripts of its own making gives it nothing more.
 */
export const REDIS_ROLES = ['edge', 'web', 'pool', 'actors', 'operator', 'auditor'] as const
export type RedisRole = (typeof REDIS_ROLES)[number]

/** These commands, on these keys and no others. */
export interface Grant {
  readonly commands: readonly string[]
  /** Left out: the commands name no key. */
  readonly keys?: readonly string[]
  /** Left out: both. */
  readonly only?: 'read' | 'write'
}

const WALLETS = 'w:*'
const HOLDS = 'h:*'
const JOINS = 'i:*'
/** Where hosts of before keep prompts. They share the work until all are upgraded. */
const PROMPTS = 'p:*'
const ANSWERS = 'o:*'
const VOUCHERS = 'v:*'
const BURSTS = 'b:*'
const KEY_USES = 'ku:*'
const MODELS = 'jm:*'
const LISTS = 'jl:*'
const MEMORY = 'jobs'
const REBUILDING = 'jobs:rebuilding'
const OPEN_JOBS = 'open'
const OPEN_VOUCHERS = 'vouchers'
const READS = 'reads'

const on = (keys: readonly string[], ...commands: string[]): Grant => ({ keys, commands })
const reading = (keys: readonly string[], ...commands: string[]): Grant => ({
  ...{ keys, commands, only: 'read' },
})
const writing = (keys: readonly string[], ...commands: string[]): Grant => ({
  ...{ keys, commands, only: 'write' },
})
/** Redis cannot know what a script does with the keys it is given, and so asks for both. */
const scripts = (...keys: string[]): Grant => on(keys, 'eval', 'evalsha')
/** To connect, to see whether it answers, and which life of the server it is. */
const CONNECTS: Grant = { commands: ['ping', 'info', 'select'] }

const limitsBursts: readonly Grant[] = [{ commands: ['time'] }, on([BURSTS], 'mget', 'set')]
const readsJobs: readonly Grant[] = [
  reading([MEMORY], 'hget'),
  reading([MODELS], 'hgetall'),
  reading([LISTS], 'zrangebylex', 'zrevrangebylex'),
]
const JOB_VIEWS = [MODELS, LISTS, MEMORY]

/** Reserves credits and gives them back; fetches answers. */
const edge: readonly Grant[] = [
  CONNECTS,
  scripts(WALLETS, HOLDS, JOINS, OPEN_JOBS, PROMPTS, BURSTS, ...JOB_VIEWS),
  on([WALLETS], 'hget', 'hmget', 'hincrby'),
  on([HOLDS], 'hget', 'hset', 'hdel'),
  on([JOINS], 'get', 'set', 'del'),
  on([OPEN_JOBS], 'zadd', 'zrem'),
  writing([PROMPTS, KEY_USES], 'set'),
  reading([ANSWERS], 'get'),
  ...limitsBursts,
  ...readsJobs,
]

/** Shows balances and jobs. */
const web: readonly Grant[] = [
  CONNECTS,
  scripts(WALLETS, HOLDS, BURSTS, ...JOB_VIEWS),
  reading([WALLETS, HOLDS], 'hget', 'hmget'),
  reading([KEY_USES], 'get'),
  ...limitsBursts,
  ...readsJobs,
]

/** Keeps the answers of callers who were cut off. */
const pool: readonly Grant[] = [CONNECTS, reading([PROMPTS], 'get'), writing([ANSWERS], 'set')]

/** Keep the ledger and the views, and take what has expired off the disk. */
const actors: readonly Grant[] = [
  CONNECTS,
  { commands: ['scan', 'bgrewriteaof'] },
  scripts(WALLETS, HOLDS, JOINS, OPEN_JOBS, VOUCHERS, OPEN_VOUCHERS, ...JOB_VIEWS, REBUILDING),
  on([WALLETS], 'hget', 'hmget', 'hset', 'hincrby', 'unlink', 'expire'),
  on([HOLDS], 'hget', 'hset', 'hdel', 'hexists'),
  // One command on both needs one grant of both.
  on([WALLETS, HOLDS], 'del'),
  on([JOINS], 'get', 'del'),
  on([VOUCHERS], 'hget', 'hmget', 'hset', 'expire'),
  writing([PROMPTS], 'unlink'),
  on([OPEN_JOBS], 'zrem', 'zrangebyscore'),
  on([OPEN_VOUCHERS, READS], 'zadd', 'zrem', 'zrangebyscore'),
  on([MODELS], 'hget', 'hlen', 'hset'),
  on([LISTS], 'zrangebylex', 'zrem', 'zadd'),
  on([MEMORY], 'hmget', 'hset'),
  on([REBUILDING], 'hget', 'hset', 'del'),
]

/** `npm run audit`: all of the books, and no answer. */
const auditor: readonly Grant[] = [
  CONNECTS,
  { commands: ['scan', 'multi', 'exec'] },
  reading([WALLETS, HOLDS], 'hgetall'),
  reading([MEMORY], 'hget'),
  reading([LISTS], 'zrange'),
]

const operator: readonly Grant[] = [{ commands: ['@all'], keys: ['*'] }]

export const REDIS_PERMISSIONS: Readonly<Record<RedisRole, readonly Grant[]>> = {
  ...{ edge, web, pool, actors, operator, auditor },
}

import { toAddress, toJobId } from '../../../src/domain/ids.ts'
import type { RedisRole } from '../../../src/store/permissions.ts'

export const WALLET = toAddress(`0x${'11'.repeat(20)}`)
export const JOB = toJobId('job_01hzzzzzzzzzzzzzzzzzzzzzzz')

const wallet = `{${WALLET}}`
/** What would show or change what is others', as it is typed into redis-cli. */
const SERVER: readonly string[] = [
  ...['FLUSHALL', 'FLUSHDB', 'KEYS *', 'RANDOMKEY', 'CONFIG GET *', 'CONFIG SET save x'],
  ...['SHUTDOWN NOSAVE', 'SAVE', 'BGSAVE', 'REPLICAOF 127.0.0.1 1', 'MONITOR', 'SYNC'],
  ...['ACL LIST', 'ACL WHOAMI', 'ACL SETUSER edge +@all', 'CLIENT LIST', 'CLIENT KILL ID 1'],
  ...['SCRIPT FLUSH', 'SCRIPT KILL', 'FUNCTION FLUSH', 'MODULE LIST', 'SLOWLOG GET', 'SWAPDB 0 1'],
  ...[`DUMP w:${wallet}`, `RENAME w:${wallet} w:x`, `MOVE w:${wallet} 1`, `COPY w:${wallet} w:x`],
  ...['SUBSCRIBE x', 'PUBLISH x y', `PERSIST p:${wallet}:${JOB}`, `EXPIRE p:${wallet}:${JOB} 9999`],
]
const PROMPT_READS = [
  `GET p:${wallet}:${JOB}`,
  `GETDEL p:${wallet}:${JOB}`,
  `SET p:${wallet}:${JOB} x GET`,
]
const ANSWER_READS = [`GET o:${JOB}`, `GETRANGE o:${JOB} 0 9`]
const LEDGER_WRITES = [
  ...[
    `HSET w:${wallet} a 1000000`,
    `HINCRBY w:${wallet} a 5`,
    `DEL w:${wallet}`,
    `UNLINK w:${wallet}`,
  ],
  ...[`HSET h:${wallet} ${JOB} r5`, `HDEL h:${wallet} ${JOB}`, `DEL h:${wallet}`, 'ZADD open 1 x'],
  ...['ZREM open x', 'DEL open', 'ZREM vouchers x', `HSET v:${wallet} n 7`, `SET i:${wallet}:k x`],
]
const VIEW_WRITES = [
  ...['HSET jobs g x', 'DEL jobs', `HSET jm:${wallet} m 1`, `ZADD jl:${wallet}:3:1 0 x`],
  ...[`ZREM jl:${wallet}:3:1 x`, `DEL jl:${wallet}:3:1`, 'HSET jobs:rebuilding x y'],
]
/** By role. `EVAL_LUA` stands for a script that writes to the key. */
export const FORBIDDEN: Readonly<Record<Exclude<RedisRole, 'operator'>, readonly string[]>> = {
  edge: [
    ...[...SERVER, ...PROMPT_READS, ...VIEW_WRITES, 'SCAN 0', 'BGREWRITEAOF'],
    ...[`HSET w:${wallet} a 1000000`, `DEL w:${wallet}`, `UNLINK w:${wallet}`, `DEL h:${wallet}`],
    ...[
      `SET o:${JOB} x`,
      'ZRANGE open 0 -1',
      'DEL open',
      `HSET v:${wallet} n 7`,
      'ZADD vouchers 1 x',
    ],
    ...['GET ku:x', 'SET other x', `DEL p:${wallet}:${JOB}`],
  ],
  web: [
    ...[...SERVER, ...PROMPT_READS, ...ANSWER_READS, ...LEDGER_WRITES, ...VIEW_WRITES, 'SCAN 0'],
    'BGREWRITEAOF',
    ...[`SET p:${wallet}:${JOB} x`, `SET o:${JOB} x`, 'SET ku:x 1', `EVAL_LUA w:${wallet}`],
  ],
  pool: [
    ...[...SERVER, ...ANSWER_READS, ...LEDGER_WRITES, ...VIEW_WRITES, 'SCAN 0', 'TIME'],
    'BGREWRITEAOF',
    ...[`SET p:${wallet}:${JOB} x`, `DEL p:${wallet}:${JOB}`, `GETDEL p:${wallet}:${JOB}`],
    ...[`HGETALL w:${wallet}`, `HGETALL jm:${wallet}`, 'SET b:{burst}:x 1', `EVAL_LUA o:${JOB}`],
  ],
  actors: [
    ...[...SERVER, ...PROMPT_READS, ...ANSWER_READS, `SET p:${wallet}:${JOB} x`, `SET o:${JOB} x`],
    ...[
      'SET b:{burst}:x 1',
      'GET ku:x',
      `SET i:${wallet}:k x`,
      'DEL jobs',
      `EVAL_LUA p:${wallet}:x`,
    ],
  ],
  auditor: [
    'BGREWRITEAOF',
    ...[...SERVER, ...PROMPT_READS, ...ANSWER_READS, ...LEDGER_WRITES, ...VIEW_WRITES],
    ...[`SET p:${wallet}:${JOB} x`, `SET o:${JOB} x`, `GET i:${wallet}:k`, `EVAL_LUA w:${wallet}`],
  ],
}

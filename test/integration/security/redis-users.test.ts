import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readViews } from '../../../src/audit/books/read-views.ts'
import { NO_CREDITS, toCredits } from '../../../src/domain/credits.ts'
import { makeJobId, toHex32 } from '../../../src/domain/ids.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { redisUsersFile } from '../../../src/network/servers/redis-users.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { REDIS_PERMISSIONS, REDIS_ROLES, type RedisRole } from '../../../src/store/permissions.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { applyOne } from '../../fakes/chain/apply-one.ts'
import { jobAt, OWNER, viewOf } from '../../fakes/jobs/views.ts'
import { FORBIDDEN, JOB, WALLET } from '../store/redis-forbidden.ts'
import { startRedisWithUsers } from '../store/redis-with-users.ts'

/** The server itself refuses what is not a role's to do: what a stolen password is worth. */
const Users = suite('users of Redis')

const log = makeLog('test', process.env.TEST_LOG ?? 'silent')
const at = toUnixMs(1_800_000_000_000)
const SERVICE = ['edge', 'web', 'pool', 'actors'] as const

let server: Awaited<ReturnType<typeof startRedisWithUsers>>
let stores: Record<(typeof SERVICE)[number], Store>
const thieves = new Map<RedisRole, Redis>()

Users.before(async () => {
  server = await startRedisWithUsers()
  const connect = async (role: RedisRole) => connectRedis({ url: server.urlAs(role), log })
  const [edge, web, pool, actors] = await Promise.all(SERVICE.map(connect))
  stores = { edge: edge!, web: web!, pool: pool!, actors: actors! }
  for (const role of REDIS_ROLES) {
    thieves.set(role, new Redis(server.urlAs(role), { disableClientInfo: true }))
  }
})
Users.after(async () => {
  for (const thief of thieves.values()) thief.disconnect()
  await Promise.all(Object.values(stores).map((store) => store.close()))
  await server.stop()
})

/** Of a command; and of one in a script, in the words of Redis to 7.0, and of later ones and Valkey. */
const REFUSED = /^NOPERM|can't (?:run|access)|^ERR ACL failure in script/

const LUA_SET = "return redis.call('SET', KEYS[1], 'x')"

async function refused(role: RedisRole, line: string): Promise<void> {
  const [command = '', ...args] = line.split(' ')
  const typed = command === 'EVAL_LUA' ? ['EVAL', LUA_SET, '1', ...args] : [command, ...args]
  const error = await thieves
    .get(role)!
    .call(...(typed as [string, ...string[]]))
    .then(
      () => undefined,
      (thrown: Error) => thrown,
    )
  assert.match(error?.message ?? 'done', REFUSED, `${role}: ${line}`)
}

for (const role of Object.keys(FORBIDDEN) as (keyof typeof FORBIDDEN)[]) {
  Users(`${role}: cannot do what is others' to do`, async () => {
    for (const line of FORBIDDEN[role]) await refused(role, line)
  })
}

Users('a script may do what its role may, and nothing more', async () => {
  const edge = thieves.get('edge')!
  for (const lua of [
    "return redis.call('GET', KEYS[1])",
    "return redis.call('DEL', KEYS[1])",
    "return redis.call('KEYS', '*')",
    "return redis.call('SET', 'undeclared', 'x')",
    `return redis.call('HSET', 'w:{${WALLET}}', 'a', '1')`,
  ]) {
    const error = await edge.eval(lua, 1, `p:{${WALLET}}:${JOB}`).then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    assert.match(error?.message ?? 'done', REFUSED, lua)
  }
})

Users('nobody of the service has a right over the whole server', async () => {
  const operator = thieves.get('operator')!
  // Figures of the server, which every client reads to know that it is ready; what expired taken off its disk.
  const known: readonly string[] = ['info', 'actors bgrewriteaof']
  for (const category of ['dangerous', 'admin']) {
    const bad = (await operator.call('ACL', 'CAT', category)) as string[]
    for (const role of REDIS_ROLES.filter((each) => each !== 'operator')) {
      const commands = REDIS_PERMISSIONS[role].flatMap((grant) => grant.commands)
      const isKnown = (name: string) => known.includes(name) || known.includes(`${role} ${name}`)
      const held = commands.filter((name) => bad.includes(name) && !isKnown(name))
      assert.equal(held, [], `${role}, of ${category}`)
    }
  }
})

Users('each role does its own work', async () => {
  const { edge, web, pool, actors } = stores
  const join = { key: 'k', bodyDigest: 'd', replaces: undefined, ttlMs: 60_000 }
  const chainAccount = { available: toCredits(100), locked: NO_CREDITS, lastTopupAt: at, block: 10 }
  const wanted = {
    wallet: WALLET,
    jobId: JOB,
    credits: toCredits(8),
    at,
    join,
  }
  assert.is(await web.ledger.balance(WALLET), 'unknown_wallet')
  assert.is((await edge.ledger.reserve(wanted)).type, 'unknown_wallet')
  assert.is(await actors.ledger.load(WALLET, chainAccount), 'loaded')
  assert.equal(await edge.ledger.reserve(wanted), { type: 'reserved', remaining: toCredits(92) })
  assert.is((await edge.ledger.joinable(WALLET, 'k'))?.jobId, JOB)
  await pool.outputs.putAnswer(JOB, 'an answer', 60_000)
  assert.is(await edge.outputs.answer(JOB), 'an answer')
  assert.equal(await actors.ledger.openReservations(toUnixMs(at + 1), 10), [
    { jobId: JOB, wallet: WALLET },
  ])
  const log1 = { wallet: WALLET, jobId: JOB, block: 11, logIndex: 0, credits: toCredits(8) }
  const locked = await applyOne(actors.ledger, { ...log1, kind: 'locked' })
  assert.ok(locked !== 'unknown_wallet' && locked.isNew)
  assert.is(await edge.ledger.accountFor(WALLET, JOB, toCredits(3)), toCredits(97))
  await applyOne(actors.ledger, {
    ...log1,
    block: 12,
    kind: 'settled',
    credits: toCredits(5),
    charged: toCredits(3),
  })
  const another = {
    ...wanted,
    jobId: makeJobId(at, systemClock.randomBytes(16)),
    join: { ...join, key: 'l' },
  }
  for (const releaser of [edge, actors]) {
    assert.is((await edge.ledger.reserve(another)).type, 'reserved')
    await releaser.ledger.release(WALLET, another.jobId, 'l')
  }
  const balance = await web.ledger.balance(WALLET)
  assert.is(balance !== 'unknown_wallet' && balance.remaining, toCredits(97))
})

Users('actors set credits aside, and forget the ledger', async () => {
  const { actors } = stores
  const seen = { nonce: 0n, block: 20, time: 1_800_000_000 }
  const aside = {
    wallet: WALLET,
    requestId: 'one',
    credits: toCredits(5),
    to: WALLET,
    deadline: seen.time + 9,
  }
  assert.is((await actors.setAsides.setAside(aside, seen)).type, 'set_aside')
  assert.is((await actors.setAsides.held(WALLET))?.requestId, 'one')
  const used = {
    wallet: WALLET,
    block: 21,
    logIndex: 0,
    kind: 'withdrawn',
    credits: toCredits(5),
  } as const
  await applyOne(actors.ledger, used)
  assert.is(await actors.setAsides.held(WALLET), undefined)
  assert.is((await actors.setAsides.overdue(seen.time + 10, 9)).length, 1)
  await actors.setAsides.end(WALLET, 'one')
  const read = { block: 20, blockHash: toHex32(`0x${'ab'.repeat(32)}`) }
  await actors.ledger.noteRead(read)
  assert.equal(await actors.ledger.reads(20), [read])
  await actors.ledger.proven([read])
  await actors.ledger.forget()
  assert.is(await actors.ledger.balance(WALLET), 'unknown_wallet')
  // A log of a wallet that nobody has asked for since.
  assert.is(await applyOne(actors.ledger, { ...used, block: 22 }), 'unknown_wallet')
})

Users('actors keep the views, edge and web read them', async () => {
  const { actors, edge, web } = stores
  assert.equal(await actors.jobViews.memory(), { type: 'lost' })
  const token = await actors.jobViews.beginRebuild()
  const id = jobAt(1)
  for (const status of ['pending', 'settled'] as const) {
    await actors.jobViews.put([{ view: viewOf(id, status), version: status === 'pending' ? 1 : 2 }])
  }
  assert.ok(await actors.jobViews.endRebuild(token, 3))
  await actors.jobViews.advance(4)
  assert.equal(await actors.jobViews.memory(), { type: 'complete' })
  for (const reader of [edge, web]) {
    const found = await reader.jobViews.get(OWNER, id)
    assert.is(found !== 'incomplete' && found?.status, 'settled')
    for (const query of [{}, { after: id }, { before: id }]) {
      const page = await reader.jobViews.page({ wallet: OWNER, limit: 5, ...query })
      assert.is(page !== 'incomplete' && page.type, 'page')
    }
  }
})

Users('edge and web count requests, and know when a key was used', async () => {
  const { edge, web } = stores
  for (const { bursts } of [edge, web]) {
    const settled = await bursts.settle(new Map([['192.0.2.1', 2]]), { perSecond: 1, burst: 10 })
    assert.is(settled.length, 1)
  }
  await edge.keyUses.note('hash', at)
  assert.is(await web.keyUses.lastUse('hash'), at)
})

Users('the auditor reads the books', async () => {
  await stores.actors.ledger.load(WALLET, {
    ...{ available: toCredits(7), locked: NO_CREDITS, lastTopupAt: at, block: 30 },
  })
  const { wallets, isComplete, views } = await readViews(server.urlAs('auditor'))
  assert.ok(isComplete)
  assert.equal(
    wallets.map(({ available }) => available),
    [7n],
  )
  assert.is(views.size, 1)
})

Users('who has no password, or a wrong one, is told so at start', async () => {
  const { host } = new URL(server.url)
  for (const url of [server.url, `redis://edge:guessed@${host}`, `redis://nobody:x@${host}`]) {
    const error = await connectRedis({ url, log }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    assert.instance(error, OperatorError, url)
    assert.match((error as Error).message, /does not let us in.*(?:NOAUTH|WRONGPASS)/)
  }
})

Users('version 6 gets the same commands and keys, all in one list', () => {
  const file = redisUsersFile({ hashOf: () => '0'.repeat(64), isOld: true })
  assert.not.match(file, /[()%]/)
  assert.match(file, /^user pool on #0{64} ~p:\* ~o:\* \+ping \+info \+select \+get \+set$/m)
})

Users.run()

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeJobId } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { startRedisWithUsers } from './redis-with-users.ts'

/** What Redis has on disk of answers, with the users that deployments give it. */
const OnDisk = suite('the append-only file')

const log = makeLog('test', process.env.TEST_LOG ?? 'silent')
const AT = toUnixMs(1_800_000_000_000)
const JOB = makeJobId(AT, new Uint8Array(10))
const ANSWER = 'an answer that nobody else may read'

let server: Awaited<ReturnType<typeof startRedisWithUsers>>
let stores: Record<'edge' | 'pool' | 'actors', Store>
OnDisk.before(async () => {
  server = await startRedisWithUsers()
  const as = (role: 'edge' | 'pool' | 'actors') => connectRedis({ url: server.urlAs(role), log })
  stores = { edge: await as('edge'), pool: await as('pool'), actors: await as('actors') }
})
OnDisk.after(async () => {
  await Promise.all(Object.values(stores).map((store) => store.close()))
  await server.stop()
})

const isOnDisk = (text: string): boolean =>
  readdirSync(server.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some(({ parentPath, name }) => holds(join(parentPath, name), text))

function holds(file: string, text: string): boolean {
  try {
    return readFileSync(file).includes(text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false // Redis has put it away meanwhile
  }
}

OnDisk('who may not is told so, each time', async () => {
  for (let turn = 0; turn < 2; turn++) {
    const refused = await stores.pool.file.rewrite().catch((error: unknown) => error)
    assert.match(String(refused), 'NOPERM')
  }
})

OnDisk('once a job has no more use for it, an answer leaves the disk', async () => {
  const { edge, pool, actors } = stores
  await pool.outputs.putAnswer(JOB, ANSWER, 1_500)
  await until('the answer on disk', () => isOnDisk(ANSWER))
  await until('the answer to expire', async () => !(await edge.outputs.answer(JOB)))
  assert.ok(isOnDisk(ANSWER), 'Redis keeps what is gone')

  assert.is(await actors.file.rewrite(), true)
  await until('it to leave the disk', () => !isOnDisk(ANSWER))
})

OnDisk('where nothing was written since, nothing is done', async () => {
  const { actors } = stores
  await until('rest', async () => {
    if (await actors.file.rewrite()) return false
    await sleep(300) // longer than it takes to write so little
    return !(await actors.file.rewrite())
  })
  await stores.pool.outputs.putAnswer(JOB, ANSWER, 60_000)
  await until('the answer on disk', () => isOnDisk(ANSWER))
  assert.is(await actors.file.rewrite(), true)
})

OnDisk.run()

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTestClient } from 'viem'
import { headFollowing } from '../../src/chain/rpc/moving-head.ts'
import { runOn } from '../network/command.ts'
import { freePortBase } from '../network/free-ports.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { loseAll, restore, takeBackup, untilHalted } from './backup-files.ts'
import { audit, lockedJobs } from './books.ts'
import { ask, type Call, getJob, MODEL, type PublicJob, untilStatus } from './calls.ts'
import { type Customer, newCustomer, revokeKey, send } from './customer.ts'
import { untilServed } from './until.ts'
import { agrees, told, whole } from './verdicts.ts'

/** `src/docs/operating/backup.md`, on a real network: the disks of NATS and Redis are lost for good. */
const Backup = suite('backup and restore')
const BOOKS_MS = 120_000
const [BEFORE, ACROSS, SINCE, LOST] = [6, 8, 4, 4]
/** The keeper gives a lock that no job knows back after 240 s, by the chain's time. */
const LOCK_SECONDS = 240

const env = { WORKER_SAMPLE_TOKENS: '60', WORKER_SAMPLE_TOKEN_MS: '40', WORKER_SLOTS: '32' }
const dirs: string[] = []
let network: Network
/** Answered and settled before the backup, as `GET /v1/jobs/<id>` told them. */
let before: readonly PublicJob[]
/** Begun before the backup, answered after it. */
let across: readonly Call[]
/** Begun and settled after the backup. */
let since: readonly Call[]
/** Locked on chain when the disks were lost. */
let lost: readonly string[]
let revokedSince: Customer
let madeSince: Customer

Backup.before(async () => {
  const dataDir = folder()
  const backup = folder()
  const portBase = await freePortBase()
  network = await startNetwork({ dataDir, portBase, env })
  await untilServed(network, MODEL, 2)
  revokedSince = await newCustomer(network)
  before = await settled(await Promise.all(load(BEFORE)))

  const begun: string[] = []
  const running = load(ACROSS, (id) => begun.push(id))
  await until('all have begun', () => begun.length >= ACROSS / 2)
  await takeBackup(network, backup)
  across = await Promise.all(running)
  since = await Promise.all(load(SINCE))
  await settled([...across, ...since])
  await revokeKey(network, revokedSince)
  madeSince = await newCustomer(network)

  lost = await dieWithLocks()
  loseAll(dataDir)
  restore(backup, dataDir)
  network = await startNetwork({ dataDir, portBase, env })
  await untilServed(network, MODEL, 2)
})
Backup.after(async () => {
  await network?.stop()
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
})

Backup('keys of then work: a request is answered and settled', async () => {
  const call = whole(await ask(network))
  await untilStatus(network, call.jobId, 'settled')
})

Backup('jobs of before the backup are what they were', async () => {
  for (const job of before) assert.equal(await getJob(network, job.id), job)
  const listed = await listedIds()
  for (const { id } of before) assert.ok(listed.has(id), `${id} is not listed`)
})

Backup('jobs that ran then are what came of them on chain', async () => {
  const jobs = await lockedJobs(network)
  for (const call of across) await agrees(network, call, jobs)
})

Backup('jobs since then are on chain alone', async () => {
  const jobs = await lockedJobs(network)
  const listed = await listedIds()
  for (const call of since) {
    const { jobId } = whole(call)
    assert.is(jobs.get(jobId)?.end?.type, 'settled')
    assert.not(listed.has(jobId))
  }
})

Backup('keys: one made since is unknown, one revoked since is back', async () => {
  assert.is((await send(madeSince, '/account')).status, 401)
  assert.is((await send(revokedSince, '/account')).status, 200)
})

Backup('what was locked comes back by itself, and the books are right', async () => {
  const chain = createTestClient({ mode: 'anvil', transport: headFollowing(network.rpc_url) })
  await chain.increaseTime({ seconds: LOCK_SECONDS })
  await chain.mine({ blocks: 1 })
  const { jobs } = await audit(network, BOOKS_MS)
  for (const id of lost) assert.is(jobs.get(id)?.end?.type, 'refunded', id)
  await differOnlyInWhatWasLost()
})

/** `npm run audit` names the jobs that are on chain and in no journal, and nothing else. */
async function differOnlyInWhatWasLost(): Promise<void> {
  const { out, err } = await runOn(network, 'audit', [...['--json', '--patience', '60']])
  if (!out) throw new Error(`no books: ${err}`)
  const { differences, tokens } = JSON.parse(out) as AuditedBooks
  assert.is(tokens.held, tokens.owed)
  const says = new Map(differences.map((each) => [each.subject, each.says]))
  const unknown = [...since.map((call) => whole(call).jobId), ...lost]
  for (const id of unknown) assert.match(says.get(id) ?? '', /in neither journal nor archive$/)
  assert.is(differences.length, unknown.length, out)
}

interface AuditedBooks {
  readonly tokens: { readonly held: string; readonly owed: string }
  readonly differences: readonly { readonly subject: string; readonly says: string }[]
}

const load = (count: number, begun?: (jobId: string) => void): Promise<Call>[] =>
  Array.from({ length: count }, (_, i) =>
    ask(network, { stream: i % 2 === 0, ...(begun && { begun }) }),
  )

const settled = (calls: readonly Call[]): Promise<PublicJob[]> =>
  Promise.all(calls.map((call) => untilStatus(network, whole(call).jobId, 'settled')))

/** @returns the ids of jobs that were locked, and whose journal was gone before they ended */
async function dieWithLocks(): Promise<string[]> {
  const known = new Set((await lockedJobs(network)).keys())
  const begun: string[] = []
  const running = Array.from({ length: LOST }, () =>
    ask(network, { stream: true, begun: (id) => begun.push(id) }),
  )
  await until('all have begun', () => begun.length === LOST)
  await untilHalted(network.kill('nats', 'SIGSTOP'))
  await network.stop()
  for (const call of await Promise.all(running)) assert.is.not(call.type, 'whole', told(call))
  assert.not(begun.some((id) => known.has(id)))
  return begun
}

async function listedIds(): Promise<Set<string>> {
  const answer = await fetch(`${network.base_url}/jobs?limit=100`, {
    headers: { authorization: `Bearer ${network.api_key}` },
  })
  const { data } = (await answer.json()) as { data: readonly { id: string }[] }
  return new Set(data.map(({ id }) => id))
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-backup-'))
  dirs.push(dir)
  return dir
}

Backup.run()

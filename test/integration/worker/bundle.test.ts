import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import { MODEL, PoolStage } from '../../fakes/pool/stage.ts'
import { Upstream } from '../../fakes/pool/upstream.ts'
import { buildAgent, Operator } from '../../fakes/worker/operator.ts'
import { until } from '../../until.ts'

/** The agent as one file, in a folder where there is nothing else. */
const Bundle = suite('worker-bundle')

const ROOT = resolve(import.meta.dirname, '../../..')
const MEGABYTES_MAX = 8
let folder: string
let file: string
let stage: PoolStage
let upstream: Upstream
let operator: Operator

Bundle.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-bundle-'))
  file = buildAgent(folder)
  stage = await new PoolStage().open()
  upstream = await new Upstream(['qwen3:8b']).open()
  operator = new Operator([file])
})
Bundle.after(async () => {
  await operator?.close()
  await stage?.close()
  await upstream?.close()
  rmSync(folder, { recursive: true, force: true })
})

Bundle('is one file of a size to download, and names no path of this machine', () => {
  assert.ok(statSync(file).size < MEGABYTES_MAX * 1024 * 1024)
  assert.not.match(readFileSync(file, 'utf8'), ROOT)
})

Bundle(
  'joins a pool, finishes a job with a good signature, and leaves when it is drained',
  async () => {
    const where = ['--pool', stage.url]
    const agent = operator.start([...where, '--upstream', upstream.url, '--slots', '2'])
    await agent.shows('made a key for this worker')
    await until('the worker to join', () => stage.workers() === 1, 20_000)

    const { jobId } = await stage.offer()
    const { usage } = await stage.hears(jobId, 'CompleteJob')
    assert.is(stage.textOf(jobId), 'Hello, world')
    assert.is(usage.completionTokens, 3)

    const status = await operator.command(['status', '--json', ...where])
    const { agent: report, unread } = JSON.parse(status.out)
    assert.is(status.code, 0)
    assert.is(report.phase, 'connected')
    assert.equal(report.models, [MODEL])
    assert.is(report.jobsDone, 1)
    assert.match(unread, '--rpc')

    const drained = await operator.command(['drain'])
    assert.is(drained.code, 0, drained.err)
    assert.match(drained.out, 'drained')
    assert.is(await agent.ends(), 0)
  },
)

Bundle('imports a key that somebody has, once, for its owner’s eyes alone', async () => {
  const other = new Operator([file])
  try {
    const secret = `0x${'00'.repeat(31)}01`
    const imported = await other.command(['keys', 'import'], secret)
    assert.is(imported.code, 0, imported.err)
    const address = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'
    assert.match(imported.out, address)
    const keystore = join(other.home, '.config', 'svc-worker', 'keystore.json')
    assert.is(statSync(keystore).mode & 0o777, 0o600)
    assert.match((await other.command(['keys', 'show'])).out, address)

    const again = await other.command(['keys', 'new'])
    assert.is(again.code, 1)
    assert.match(again.err, 'holds a key already')
    const copy = ['--keystore', join(other.home, 'copy.json')]
    const moved = await other.command(['keys', 'import', ...copy], readFileSync(keystore, 'utf8'))
    assert.match(moved.out, address, moved.err)

    const where = ['--pool', stage.url, '--upstream', upstream.url]
    const registered = await other.command(['register', ...where])
    assert.is(registered.code, 0, registered.err)
    assert.is(stage.chain.registered.get(toAddress(address)), stage.chain.registered.size)
    assert.match(registered.out, `worker number ${stage.chain.registered.size}`)
  } finally {
    await other.close()
  }
})

Bundle('speaks to the person where it cannot do what it is told', async () => {
  const alone = await operator.command(['drain'])
  assert.is(alone.code, 1)
  assert.match(alone.err, 'runs on this machine')

  const unknown = await operator.command(['dance'])
  assert.is(unknown.code, 1)
  assert.match(unknown.err, 'there is no command dance')

  const open = await operator.command(['--pool', 'pool.example.org:443'])
  assert.is(open.code, 1)
  assert.match(open.err, '--insecure')

  const nowhere = await operator.command([
    'status',
    '--pool',
    'http://127.0.0.1:99999',
    '--rpc',
    'x',
  ])
  assert.match(nowhere.out, 'between 1 and 65535')

  // Neither is a bug, so neither comes with a stack.
  for (const url of ['http://me:hush@127.0.0.1:1/v1', '127.0.0.1:26000/v1']) {
    const { code, err } = await operator.command(['--pool', stage.url, '--upstream', url])
    assert.is(code, 1)
    assert.match(err, '--upstream')
    assert.not.match(err, /hush|\n +at /)
  }

  const secret = await operator.command(['--private-key', `0x${'11'.repeat(32)}`])
  assert.is(secret.code, 1)
  assert.not.match(secret.err, '1111')
})

Bundle.run()

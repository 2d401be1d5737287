import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ABI_HASH } from '../../src/chain/abi.ts'
import { until } from '../until.ts'
import { freePort, startServerOn } from './servers.ts'

/** Roles that come up before their servers: whoever looks after them is told what they wait for. */
const Starting = suite('roles that start before their servers')

const ROLES = ['edge', 'web', 'pool', 'actors'] as const
type RoleName = (typeof ROLES)[number]
const ESCROW = `0x${'e5'.repeat(20)}`
const PATIENCE_MS = 90_000

const dir = mkdtempSync(join(tmpdir(), 'svc-starting-'))
const contracts = join(dir, 'contracts.json')
const ports = {} as Record<'nats' | 'redis' | 'node' | RoleName, number>
const started: ChildProcess[] = []
const cleanUp: (() => Promise<void>)[] = []

Starting.before(async () => {
  const names = ['job_escrow', 'worker_staking', 'usdg', 'r_compute', 'model_registry']
  const all = [...names, 'governor', 'timelock'].map((name) => [name, ESCROW])
  const about = { chain_id: 31_337, abi_hash: ABI_HASH, deploy_block: 0 }
  writeFileSync(contracts, JSON.stringify({ ...about, ...Object.fromEntries(all) }))
  for (const name of ['nats', 'redis', 'node', ...ROLES] as const) ports[name] = await freePort()
  for (const role of ROLES) started.push(await start(role))
})
Starting.after(async () => {
  for (const child of started) child.kill('SIGKILL')
  for (const stop of cleanUp) await stop()
  rmSync(dir, { recursive: true })
})

const envOf = (role: RoleName) => ({
  PATH: process.env.PATH,
  NATS_URL: `nats://127.0.0.1:${ports.nats}`,
  REDIS_URL: `redis://127.0.0.1:${ports.redis}`,
  RPC_URL: `http://127.0.0.1:${ports.node}`,
  CONTRACTS_FILE: contracts,
  MONITOR_PORT: String(ports[role]),
  ACTOR_KINDS: 'job',
  WEB_DEVELOPMENT: 'true',
  LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
})

async function start(role: RoleName): Promise<ChildProcess> {
  const own = await freePort()
  return spawn(process.execPath, ['src/network/program.mjs', role], {
    env: { ...envOf(role), [`${role.toUpperCase()}_PORT`]: String(own) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

async function get(role: RoleName, path: string) {
  const answer = await fetch(`http://127.0.0.1:${ports[role]}${path}`).catch(() => undefined)
  return answer && { status: answer.status, text: await answer.text() }
}
const missing = async (role: RoleName): Promise<readonly string[]> =>
  JSON.parse((await get(role, '/readyz'))?.text ?? '{}').missing ?? []
const lacks = (role: RoleName, what: string, is: boolean) =>
  until(
    `${role} ${is ? 'waits for' : 'has'} ${what}`,
    async () => (await get(role, '/readyz')) && (await missing(role)).includes(what) === is,
    PATIENCE_MS,
  )

Starting('each is alive, not ready, and names both servers; its figures say so', async () => {
  for (const role of ROLES) {
    for (const what of ['NATS', 'Redis']) await lacks(role, what, true)
    assert.is((await get(role, '/readyz'))?.status, 503, role)
    assert.is((await get(role, '/healthz'))?.status, 200, role)
    const figures = await get(role, '/metrics')
    assert.is(figures?.status, 200, role)
    assert.match(figures!.text, /^svc_ready 0$/m, role)
  }
})

Starting('of two servers the one that is still away is named', async () => {
  const redis = await startServerOn(ports.redis, 'redis')
  cleanUp.push(redis.stop)
  for (const role of ROLES) {
    await lacks(role, 'Redis', false)
    assert.ok((await missing(role)).includes('NATS'), role)
  }
})

Starting('with both there, what is missing is what each needs to work', async () => {
  const nats = await startServerOn(ports.nats, 'nats')
  cleanUp.push(nats.stop)
  for (const role of ROLES) {
    await lacks(role, 'NATS', false)
    const next = role === 'actors' ? 'the settlement chain' : 'the catalogue of models'
    await lacks(role, next, true)
    assert.is((await get(role, '/healthz'))?.status, 200, role)
  }
})

Starting('a port that another program has ends each, and names the settings', async () => {
  for (const role of ['edge', 'web', 'pool'] as const) {
    const name = role.toUpperCase()
    const taken = String(ports.nats)
    const said = await lastWords(role, { [`${name}_PORT`]: taken, MONITOR_PORT: '' })
    assert.match(
      said,
      new RegExp(`^${name}_HOST, ${name}_PORT: .*address already in use`, 'm'),
      role,
    )
    assert.not.match(said, /\n {4}at /, role)
  }
})

/** Of a role that ends at its start. */
async function lastWords(role: RoleName, env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, ['src/network/program.mjs', role], {
    env: { ...envOf(role), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  started.push(child)
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const [code] = await once(child, 'close')
  assert.is(code, 1, said)
  return said
}

Starting.run()

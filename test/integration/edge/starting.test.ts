import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ESCROW } from '../../fakes/edge/stage.ts'
import { until } from '../../until.ts'
import { freePort, type Server, startNats, startRedis } from '../servers.ts'

/** A role that comes up before its servers says so, and can be ended. */
const Starting = suite('a role that starts while its servers are away')
const PASSWORD = 'never-in-a-log'
const dir = mkdtempSync(join(tmpdir(), 'svc-starting-'))
const contracts = join(dir, 'contracts.json')
const processes: ChildProcess[] = []
const servers: Server[] = []

Starting.before(() => {
  const names = ['job_escrow', 'worker_staking', 'usdg', 'r_compute', 'model_registry']
  const addresses = [...names, 'governor', 'timelock'].map((name) => [name, ESCROW])
  const file = { chain_id: 31_337, deploy_block: 0, ...Object.fromEntries(addresses) }
  writeFileSync(contracts, JSON.stringify(file))
})
Starting.after(async () => {
  for (const child of processes) child.kill('SIGKILL')
  for (const server of servers) await server.stop()
  rmSync(dir, { recursive: true })
})

Starting('says which are waited for, without passwords, and SIGTERM ends it at once', async () => {
  const [nats, redis] = [await freePort(), await freePort()]
  const edge = await startEdge({
    NATS_URL: `nats://edge:${PASSWORD}@127.0.0.1:${nats}`,
    REDIS_URL: `redis://edge:${PASSWORD}@127.0.0.1:${redis}`,
  })
  await edge.says('nats: not reachable, and waited for')
  await edge.says('redis: not reachable, and waited for')
  const lines = edge.lines()
  const [ofNats, ...more] = lines.filter(({ msg }) => msg.startsWith('nats:'))
  assert.equal(more, [], 'once')
  assert.equal([ofNats?.servers, ofNats?.setting], [`127.0.0.1:${nats}`, 'NATS_URL'])
  const ofRedis = lines.filter(({ msg }) => msg.startsWith('redis:'))
  assert.equal(
    ofRedis.map(({ server, setting }) => [server, setting]),
    [[`127.0.0.1:${redis}`, 'REDIS_URL']],
  )
  assert.not.match(JSON.stringify(lines), new RegExp(PASSWORD))
  assert.equal(await edge.end('SIGTERM'), 0)
})

Starting('says when they are there', async () => {
  const nats = await startNats()
  const redis = await startRedis()
  servers.push(nats, redis)
  // It takes connections and says nothing on them.
  process.kill(nats.pid, 'SIGSTOP')
  const edge = await startEdge({ NATS_URL: nats.url, REDIS_URL: redis.url })
  await edge.says('nats: not reachable, and waited for')
  process.kill(nats.pid, 'SIGCONT')
  await edge.says('nats: connected')
  assert.equal(await edge.end('SIGINT'), 0)
})

Starting('no address file: one line that says what to do, and no stack', async () => {
  const edge = await startEdge({ CONTRACTS_FILE: join(dir, 'none.json') })
  const [code] = await edge.ended
  assert.is(code, 1)
  assert.match(edge.errors(), /^CONTRACTS_FILE .*none\.json does not exist; deploy the contracts/)
  assert.is(edge.errors().trim().split('\n').length, 1)
})

interface Line {
  readonly msg: string
  readonly servers?: string
  readonly server?: string
  readonly setting?: string
}

async function startEdge(settings: NodeJS.ProcessEnv) {
  const env = {
    PATH: process.env.PATH,
    CONTRACTS_FILE: contracts,
    EDGE_PORT: String(await freePort()),
    LEAVE_SECONDS: '0',
    ...settings,
  }
  const edge = spawn(process.execPath, ['src/network/program.mjs', 'edge'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  processes.push(edge)
  const ended = once(edge, 'close')
  let [out, errors] = ['', '']
  edge.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  edge.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const lines = (): Line[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return {
    ended,
    lines,
    errors: () => errors,
    says: (words: string) =>
      until(words, () => lines().some(({ msg }) => msg.startsWith(words)), 60_000),
    end: async (signal: NodeJS.Signals) => {
      edge.kill(signal)
      const [code] = await ended
      return code as number | null
    },
  }
}

Starting.run()

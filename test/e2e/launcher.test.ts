import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { chainStateFiles } from '../../src/network/chain/chain-state.ts'
import { waitFor } from '../../src/network/waiting.ts'
import { type Network, startNetwork } from '../network/network.ts'

const PATIENCE_MS = 90_000
/** What a stopped network leaves in its data directory. */
const STATE = [
  '.svc-network',
  'chain.json',
  'contracts.deployment.json',
  'contracts.json',
  'keys.json',
  'logs',
  'nats',
  'redis',
  'redis-users.acl',
  'workers',
]
const leftIn = (dataDir: string) => {
  // The chain is kept as it was a few times.
  const [newest, ...earlier] = chainStateFiles('chain.json')
  const names = readdirSync(dataDir).map((name) => (earlier.includes(name) ? newest! : name))
  return [...new Set(names)].sort()
}

const Launcher = suite('launcher')
const started: Network[] = []
const start: typeof startNetwork = async (options) => {
  const network = await startNetwork(options)
  started.push(network)
  return network
}

/** Used by the first three tests; the third of them ends it. */
let shared: Network

Launcher.before(async () => {
  // The proxy that a machine reaches the world by, here one that answers nobody.
  const proxy = 'http://127.0.0.1:9'
  shared = await start({ env: { http_proxy: proxy, HTTP_PROXY: proxy, ALL_PROXY: proxy } })
})

Launcher.after(async () => {
  await Promise.all(started.map((network) => network.stop()))
})

Launcher('network.json tells all that a tool needs, and the shown curl line works', async () => {
  const network = shared
  assert.match(network.base_url, /^http:\/\/127\.0\.0\.1:\d+\/v1$/)
  assert.match(network.api_key, /^svc_live_[A-Za-z0-9]{32}$/)
  assert.match(network.wallet.address, /^0x[0-9a-f]{40}$/)
  assert.match(network.contracts.job_escrow, /^0x[0-9a-f]{40}$/)
  assert.is(network.chain_id, await rpc(network, 'eth_chainId').then(Number))
  const roles = network.processes.map(({ role }) => role).sort()
  assert.equal(roles, [
    'actors',
    'chain',
    'edge',
    'nats',
    'pool',
    'redis',
    'web',
    'worker',
    'worker',
  ])
  for (const { pid } of network.processes) assert.ok(isAlive(pid))

  const line = /curl (\S+) .*-d '(.*)'$/m.exec(network.screen())
  const answer = await fetch(line![1]!, {
    method: 'POST',
    headers: { authorization: `Bearer ${network.api_key}`, 'content-type': 'application/json' },
    body: line![2]!,
  })
  assert.is(answer.status, 200, await answer.text())
  assert.match(line![0], " --noproxy '*'", 'the shell has that proxy too')
})

Launcher('a process that dies is named, started again and written down', async () => {
  const network = shared
  const before = network.read()
  const killed = (['worker', 'edge', 'chain'] as const).map((role) => network.kill(role))
  const recovered = await waitFor(async () => {
    const { processes } = network.read()
    return processes.length === before.processes.length &&
      processes.every(({ pid }) => !killed.includes(pid))
      ? processes
      : undefined
  }, PATIENCE_MS)
  assert.ok(recovered, 'all processes are back')
  assert.match(network.screen(), 'worker-1 stopped (ended by SIGKILL)')
  assert.ok(await waitFor(() => chat(network, 'Qwen/Qwen3-8B'), PATIENCE_MS), 'it answers again')
})

Launcher('a launcher that is killed takes every process along', async () => {
  const network = shared.read()
  process.kill(shared.launcherPid, 'SIGKILL')
  const ended = async () => !network.processes.some(({ pid }) => isAlive(pid)) || undefined
  assert.ok(await waitFor(ended, PATIENCE_MS), 'all processes have ended')
})

Launcher('the state outlives a stop, nothing else does', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-launcher-'))
  try {
    const first = await start({ dataDir })
    assert.ok(await chat(first, 'Qwen/Qwen3-8B'))
    // The flat price of the 8B tier, once the rest of the lock has come back.
    const balance = 100_000 - 8
    const settled = async () => (await credits(first)) === balance || undefined
    assert.ok(await waitFor(settled, PATIENCE_MS), 'the answer is paid for')
    await first.stop()
    for (const { name, pid } of first.processes) assert.not(isAlive(pid), `${name} has ended`)
    assert.equal(leftIn(dataDir), STATE)

    const second = await start({ dataDir })
    assert.is(second.api_key, first.api_key)
    assert.equal(second.wallet, first.wallet)
    assert.equal(second.contracts, first.contracts)
    assert.is(await credits(second), balance)
    await second.stop()

    const fresh = await start({ dataDir, flags: ['--fresh'] })
    assert.is.not(fresh.api_key, first.api_key)
    assert.is(await credits(fresh), 100_000)
    await fresh.stop()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

Launcher('several networks side by side, of several sizes, before an upstream', async () => {
  const upstream = await startUpstream('Qwen/Qwen3-14B')
  try {
    const [small, large] = await Promise.all([
      start({ flags: ['--workers', '1'] }),
      start({
        flags: ['--edges', '2', '--actors', '2', '--pools', '2', '--upstream', upstream.url],
        env: { WORKER_REGION: 'eu-west' },
      }),
    ])
    assert.is(small.pids('worker').length, 1)
    for (const role of ['edge', 'actors', 'pool', 'worker'] as const) {
      assert.is(large.pids(role).length, 2, role)
    }
    assert.is(large.base_urls.length, 2)
    assert.is(await chat(large, 'Qwen/Qwen3-14B'), 'from upstream')
    assert.ok(await chat(small, 'Qwen/Qwen3-8B'))
    assert.is(await chat(small, 'Qwen/Qwen3-14B'), undefined)
  } finally {
    upstream.close()
  }
})

interface Completion {
  choices: { message: { content: string } }[]
}

/** The text of an answer; undefined when there is none. */
async function chat(network: Network, model: string): Promise<string | undefined> {
  const answer = await fetch(`${network.base_url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${network.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => undefined)
  if (!answer?.ok) return undefined
  const completion = (await answer.json()) as Completion
  return completion.choices[0]?.message.content
}

async function credits(network: Network): Promise<number> {
  const answer = await fetch(`${network.base_url}/account`, {
    headers: { authorization: `Bearer ${network.api_key}` },
  })
  return ((await answer.json()) as { credits_remaining: number }).credits_remaining
}

async function rpc(network: Network, method: string): Promise<string> {
  const answer = await fetch(network.rpc_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
  })
  return ((await answer.json()) as { result: string }).result
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** An OpenAI-compatible server that always says the same. */
async function startUpstream(model: string) {
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ object: 'list', data: [{ id: model, object: 'model' }] }))
      return
    }
    response.setHeader('content-type', 'text/event-stream')
    const chunk = (delta: object, finish_reason: string | null) => {
      const body = { id: 'c', object: 'chat.completion.chunk', created: 1, model }
      const choices = [{ index: 0, delta, finish_reason }]
      response.write(`data: ${JSON.stringify({ ...body, choices })}\n\n`)
    }
    request.resume().on('end', () => {
      chunk({ role: 'assistant', content: 'from ' }, null)
      chunk({ content: 'upstream' }, null)
      chunk({}, 'stop')
      response.end('data: [DONE]\n\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

Launcher.run()

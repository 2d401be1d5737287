import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { NATS_ROLES } from '../../src/bus/permissions.ts'
import { apiKeyHash, keyProof } from '../../src/domain/hash.ts'
import { natsUrlAs, redisUrlAs } from '../../src/network/servers/server-users.ts'
import { REDIS_ROLES } from '../../src/store/permissions.ts'
import { Visitor } from '../fakes/web/visitor.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import {
  bodyOf,
  type Customer,
  chat,
  firstCustomer,
  jobSettles,
  newCustomer,
  readAccount,
  send,
} from './customer.ts'
import type { Completion } from './public-shapes.ts'
import {
  askEdge,
  askWeb,
  EDGE_ELSEWHERE,
  EDGE_ROWS,
  edgeRoutes,
  type Owned,
  tryAll,
  WEB_ELSEWHERE,
  WEB_ROWS,
  webRoutes,
} from './security-isolation.ts'
import { breakIn } from './stolen-edge.ts'

/** One wallet's things are no other's, and nothing that is secret lies about. */
const Secrets = suite('security: a whole network')

const PROMPT = 'zanzibar-prompt-4c1d9e: what is the colour of the moon?'
const WEBHOOK_SECRET = 'quagga-webhook-secret-7f3a52b8c6d4'
/** With some time for what is settled to be told, and prompts to go by themselves. */
const WINDOW_SECONDS = 25
const GONE_WITHIN_MS = 120_000

let network: Network
let owner: Customer
let strangers: { customer: Customer; visitor: Visitor }
let hooks: Server
let owned: Owned
let answer: string
let sessionToken: string
let madeKey: string

Secrets.before(async () => {
  hooks = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  network = await startNetwork({
    env: {
      ...{ JOB_WINDOW_SECONDS: String(WINDOW_SECONDS), WORKER_SAMPLE_TOKEN_MS: '1' },
      // All that can be logged.
      LOG_LEVEL: 'debug',
    },
  })
  owner = firstCustomer(network)
  const visitor = new Visitor({ origin: network.web_url })
  const account = privateKeyToAccount(generatePrivateKey())
  assert.is((await visitor.signIn(account, network.chain_id)).status, 200)
  strangers = { customer: await newCustomer(network), visitor }
  await liveOnce()
})
Secrets.after(async () => {
  await network?.stop()
  hooks?.close()
})

/** Everything that a wallet does, once. */
async function liveOnce(): Promise<void> {
  const { port } = hooks.address() as AddressInfo
  const made = await send(owner, '/webhooks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: {
      url: `http://127.0.0.1:${port}/hook`,
      events: ['job.submitted', 'job.completed'],
      secret: WEBHOOK_SECRET,
    },
  })
  assert.is(made.status, 201, made.text)
  const ask = {
    model: 'Qwen/Qwen3-8B',
    messages: [{ role: 'user', content: PROMPT }],
    max_tokens: 60,
  }
  const completed = await chat(owner, ask)
  const completion: Completion = bodyOf(completed)
  answer = completion.choices[0]!.message.content
  assert.ok(answer.length > 20, answer)
  const streamed = await chat(owner, { ...ask, stream: true })
  assert.match(streamed.text, /\[DONE\]/)
  const jobId = completed.headers['x-svc-job-id'] as string
  owned = {
    jobId,
    webhookId: JSON.parse(made.text).id,
    wallet: owner.wallet,
    secrets: [owner.apiKey, WEBHOOK_SECRET, answer, PROMPT],
  }
  await jobSettles(owner, jobId)
  // A key that people make in the web app, and the session that they make it with.
  const visitor = new Visitor({ origin: network.web_url })
  await visitor.signIn(privateKeyToAccount(generatePrivateKey()), network.chain_id)
  sessionToken = visitor.cookie!.split('=')[1]!
  const key = await visitor.send('/api/key', { method: 'POST', body: {} })
  assert.is(key.status, 201, key.text)
  madeKey = JSON.parse(key.text).key ?? JSON.parse(key.text).api_key
  assert.match(madeKey, /^svc_live_\w{32}$/)
  assert.is((await send({ ...owner, apiKey: madeKey }, '/account')).status, 200)
}

Secrets('every endpoint of the public API has a row here', async () => {
  const known = [...Object.keys(EDGE_ROWS), ...EDGE_ELSEWHERE]
  assert.equal([...(await edgeRoutes(owner))].sort(), known.sort())
})

Secrets('every route of the web app has a row here', () => {
  const known = [...Object.keys(WEB_ROWS), ...WEB_ELSEWHERE]
  assert.equal([...webRoutes()].sort(), known.sort())
})

Secrets('a stranger with a key gets nothing of another wallet', async () => {
  const before = await readAccount(owner)
  await tryAll(EDGE_ROWS, owned, askEdge(strangers.customer))
  assert.equal(await readAccount(owner), before)
})

Secrets('somebody who is signed in gets nothing of another wallet', async () => {
  await tryAll(WEB_ROWS, owned, askWeb(strangers.visitor))
  const hooksLeft = bodyOf<{ data: { id: string }[] }>(await send(owner, '/webhooks')).data
  assert.ok(
    hooksLeft.some(({ id }) => id === owned.webhookId),
    'the webhook is still there',
  )
})

Secrets('nobody who is not signed in is told anything of a wallet', async () => {
  const nobody = new Visitor({ origin: network.web_url })
  const open =
    /^(?:GET \/api\/(?:config|models|network|workers)|POST \/api\/(?:session|development))|(?:GET|DELETE) \/api\/session$/
  for (const route of webRoutes().filter((each) => !open.test(each))) {
    const [method = '', path = ''] = route.split(' ')
    const body = method === 'GET' ? undefined : {}
    const told = await nobody.send(path.replace(':id', 'x'), { method, body })
    assert.is(told.status, 401, `${route}: ${told.status} ${told.text.slice(0, 200)}`)
  }
})

/** Files of the network that may hold keys, for the eyes of the owner: README, `.svc/`. */
const FOR_KEYS = new Set(['keys.json', 'network.json'])
/** Of passwords only hashes; for nobody else all the same. */
const USERS_FILE = 'redis-users.acl'

Secrets("the password of edges alone begins no job in anybody's name", async () => {
  const { host } = new URL(network.nats_url)
  const thief = await breakIn(natsUrlAs(`nats://${host}`, keysOfNetwork(), 'edge'))
  const before = await readAccount(owner)
  const hash = apiKeyHash(owner.apiKey)
  const kept = await thief.readKey(hash)
  assert.match(String(kept.proofHash), /^[0-9a-f]{64}$/)
  for (const key of [undefined, { hash, proof: hash }, { hash, proof: kept.proofHash }]) {
    const reply = await thief.begin(owner.wallet, key)
    assert.equal(reply, { type: 'refused', reason: 'not_admitted' })
  }
  // With a key of one's own, too, nobody else's credits are spent.
  const { apiKey } = strangers.customer
  const own = { hash: apiKeyHash(apiKey), proof: keyProof(apiKey) }
  assert.is((await thief.begin(owner.wallet, own)).type, 'refused')
  await thief.close()
  assert.equal(await readAccount(owner), before)
})

const keysOfNetwork = () => JSON.parse(readFileSync(join(network.dataDir, 'keys.json'), 'utf8'))

/** What nobody may read anywhere: said by somebody, or made for the network. */
function neverTold(): readonly string[] {
  const keys = keysOfNetwork()
  const privateKeys = Object.values(keys)
    .flat()
    .filter((value): value is string => typeof value === 'string')
    .map((value) => value.replace(/^0x/, ''))
  const passwords = [
    ...NATS_ROLES.map((role) => natsUrlAs('nats://x', keys, role)),
    ...REDIS_ROLES.map((role) => redisUrlAs('redis://x', keys, role)),
  ].map((url) => new URL(url).password)
  const proofs = [owner.apiKey, madeKey].map(keyProof)
  const said = [owner.apiKey, madeKey, WEBHOOK_SECRET, sessionToken, ...proofs]
  return [...said, ...passwords, ...privateKeys]
}

Secrets('no secret lies in a log, in the journal, in the ledger or in any other file', async () => {
  const never = neverTold()
  const found = await until(
    'prompt and answer have left every file',
    async () => {
      const bad = filesHolding([...never, PROMPT, 'zanzibar-prompt', answer.slice(0, 40)])
      // Redis keeps both while the job may need them, and its file until it is written anew.
      return bad.every(({ file }) => file.startsWith('redis/')) && [bad]
    },
    GONE_WITHIN_MS,
  )
  for (const { file, text } of found[0]!) {
    assert.not.ok(never.includes(text), `${file} holds a key`)
  }
})

Secrets('whoever monitors the processes is told of no secret, no wallet and no job', async () => {
  const never = [...neverTold(), PROMPT, answer.slice(0, 40), owner.wallet, owned.jobId]
  const monitored = network.read().processes.flatMap(({ monitor_url }) => monitor_url ?? [])
  assert.ok(monitored.length >= 4, 'edge, web, pool and actors')
  for (const url of monitored.flatMap((each) => [`${each}/metrics`, `${each}/readyz`])) {
    const told = await (await fetch(url, { signal: AbortSignal.timeout(20_000) })).text()
    for (const text of never) assert.not.ok(told.includes(text), `${url} tells ${text}`)
  }
})

Secrets('files with keys are for their owner alone', () => {
  for (const file of [...FOR_KEYS, USERS_FILE]) {
    assert.is(statSync(join(network.dataDir, file)).mode & 0o777, 0o600, file)
  }
})

/** Where any of these texts is, as it is or in hex or base64. */
function filesHolding(texts: readonly string[]) {
  const needles = texts.flatMap((text) => [
    { text, bytes: Buffer.from(text) },
    { text, bytes: Buffer.from(Buffer.from(text).toString('hex')) },
    {
      text,
      bytes: Buffer.from(Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -2)),
    },
  ])
  const found: { file: string; text: string }[] = []
  for (const path of allFiles(network.dataDir)) {
    const file = relative(network.dataDir, path)
    if (FOR_KEYS.has(file)) continue
    const held = ifThere(() => readFileSync(path))
    for (const { text, bytes } of needles) if (held?.includes(bytes)) found.push({ file, text })
  }
  return found
}

function allFiles(folder: string): string[] {
  const entries = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? []
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? allFiles(path) : entry.isFile() ? [path] : []
  })
}

/** Servers move and remove files and folders of theirs while we look. */
function ifThere<Found>(read: () => Found): Found | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

Secrets.run()

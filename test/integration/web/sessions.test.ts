import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { getAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { makeSignIn } from '../../../src/chain/sign-in.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import type { WebSession } from '../../../src/web/api.ts'
import { type EmptyChain, startEmptyChain } from '../../fakes/chain/anvil.ts'
import { makeContractAccount } from '../../fakes/chain/contract-account.ts'
import { openWebStage, type WebStage } from '../../fakes/web/stage.ts'
import { codeOf, type SignInTerms, Visitor } from '../../fakes/web/visitor.ts'
import { type Server, startNats } from '../servers.ts'

/** Who gets in, how long, and what other pages of the internet cannot do. */
const WebSessions = suite('web sessions')

const ORIGIN = 'https://app.test'
const CHAIN_ID = 31_337
const HOUR_MS = 60 * 60 * 1_000
const account = privateKeyToAccount(generatePrivateKey())
const wallet = account.address.toLowerCase()
const ago = (ms: number) => new Date(Date.now() - ms)
const ahead = (ms: number) => new Date(Date.now() + ms)

let nats: Server
let bus: Nats
let chain: EmptyChain
let stage: WebStage

WebSessions.before(async () => {
  ;[nats, chain] = await Promise.all([startNats(), startEmptyChain()])
  const log = makeLog('test', process.env.TEST_LOG ?? 'silent')
  bus = await connectNats({ servers: nats.url, name: 'test', log })
  stage = await openWebStage({
    origin: ORIGIN,
    signIn: makeSignIn({ rpcUrl: chain.rpcUrl, chainId: CHAIN_ID }),
    sessions: await bus.registry('SESSIONS'),
    nonces: await bus.registry('NONCES'),
  })
})
WebSessions.after(async () => {
  await stage?.web.stop()
  await bus?.close()
  await Promise.all([nats?.stop(), chain?.stop()])
})

const visit = () => new Visitor({ origin: ORIGIN, address: stage.address })

WebSessions('a page that shows another wallet than the cookie’s is refused', async () => {
  const visitor = visit()
  await visitor.signIn(account, CHAIN_ID)
  const ask = (shown: string, method = 'GET', path = '/api/session') =>
    visitor.send(path, { method, headers: { 'x-wallet': shown } })
  assert.is((await ask(wallet)).status, 200)
  const other = `0x${'1'.repeat(40)}`
  for (const [method, path] of [['GET'], ['POST', '/api/key']] as const) {
    const answer = await ask(other, method, path)
    assert.is(answer.status, 409, answer.text)
    assert.is(codeOf(answer), 'other_wallet')
  }
  assert.is((await ask(other, 'DELETE')).status, 204, 'signing out is for whoever is signed in')
})

WebSessions('a wallet signs in, is known, signs out, and is unknown at once', async () => {
  const visitor = visit()
  const answer = await visitor.signIn(account, CHAIN_ID)
  assert.is(answer.status, 200, answer.text)
  const session: WebSession = JSON.parse(answer.text)
  assert.is(session.wallet, wallet)
  const hours = (Date.parse(session.expires_at) - Date.now()) / HOUR_MS
  assert.ok(hours > 11.9 && hours < 12.1, `${hours} hours`)
  const [line = ''] = answer.headers['set-cookie'] as string[]
  for (const part of ['HttpOnly', 'SameSite=Strict', 'Secure', 'Path=/']) assert.match(line, part)
  assert.is((await visitor.json<WebSession>('/api/session')).wallet, wallet)

  const cookie = visitor.cookie
  assert.is((await visitor.send('/api/session', { method: 'DELETE' })).status, 204)
  assert.is(visitor.cookie, undefined)
  visitor.cookie = cookie
  const after = await visitor.send('/api/session')
  assert.is(after.status, 401)
  assert.is(codeOf(after), 'session_required')
})

WebSessions('what is kept of a session does not open it', async () => {
  const visitor = visit()
  await visitor.signIn(account, CHAIN_ID)
  const token = visitor.cookie!.split('=')[1]!
  assert.is(Buffer.from(token, 'base64url').length, 32)
  const sessions = await bus.registry('SESSIONS')
  assert.is(await sessions.get(token), undefined)
  const keys: string[] = []
  const stop = await sessions.watch('>', (key) => keys.push(key))
  await bus.bus.flush()
  stop()
  assert.not.ok(keys.includes(token))
})

WebSessions('a message signs in once, also where it is sent many times at once', async () => {
  const visitor = visit()
  const message = await visitor.message(account.address, CHAIN_ID)
  const signature = await account.signMessage({ message })
  const ask = { method: 'POST', body: { message, signature } }
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => visit().send('/api/session', ask)),
  )
  assert.equal(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401])
  const late = await visit().send('/api/session', ask)
  assert.is(late.status, 401)
  assert.match(late.text, 'used already')
})

const REFUSED: readonly (readonly [string, SignInTerms, string])[] = [
  ['for another domain', { domain: 'evil.test' }, 'was made for evil.test'],
  ['for another address', { uri: 'https://evil.test/' }, 'was made for'],
  ['for a port of ours', { uri: 'https://app.test:444' }, 'was made for'],
  ['for another chain', { chainId: 1 }, 'names chain 1'],
  ['that has expired', { expirationTime: ago(1_000) }, 'has expired'],
  ['of long ago', { issuedAt: ago(HOUR_MS) }, 'too old'],
  ['of tomorrow', { issuedAt: ahead(24 * HOUR_MS) }, 'of the future'],
  ['not valid yet', { notBefore: ahead(HOUR_MS) }, 'of the future'],
  ['with a nonce of nobody', { nonce: 'a'.repeat(32) }, 'used already'],
  ['with a nonce of another form', { nonce: 'abcdefgh1' }, 'used already'],
  ['of another account', { address: getAddress(`0x${'ab'.repeat(20)}`) }, 'is not of'],
]
for (const [what, terms, says] of REFUSED) {
  WebSessions(`a message ${what} is refused`, async () => {
    const visitor = visit()
    const answer = await visitor.signIn(account, CHAIN_ID, terms)
    assert.is(answer.status, 401, answer.text)
    assert.is(codeOf(answer), 'sign_in_failed')
    assert.match(answer.text, says)
    assert.is(visitor.cookie, undefined)
  })
}

WebSessions('a message that could be read in two ways is refused', async () => {
  const visitor = visit()
  const message = await visitor.message(account.address, CHAIN_ID)
  const nonce = /Nonce: (\w+)/.exec(message)![1]
  for (const other of [
    `${message}\nURI: https://evil.test`,
    message.replace('Sign in.', `URI: ${ORIGIN}\nVersion: 1\nChain ID: 1\nNonce: ${nonce}`),
    message.replace('Version: 1', 'Version: 2'),
    ` ${message}`,
    'hello',
    '',
  ]) {
    const signature = await account.signMessage({ message: other })
    const body = { message: other, signature }
    const answer = await visit().send('/api/session', { method: 'POST', body })
    assert.is(answer.status, 401, other)
  }
})

WebSessions('an account that is a contract signs in by its own rule', async () => {
  const owner = privateKeyToAccount(generatePrivateKey())
  const contract = getAddress(`0x${'c0'.repeat(20)}`)
  await makeContractAccount(chain.rpc, contract, owner.address)
  const visitor = visit()
  const answer = await visitor.signIn(owner, CHAIN_ID, { address: contract })
  assert.is(answer.status, 200, answer.text)
  const { wallet } = await visitor.json<WebSession>('/api/session')
  assert.is(wallet, contract.toLowerCase())
  const stranger = await visit().signIn(account, CHAIN_ID, { address: contract })
  assert.is(stranger.status, 401)
})

WebSessions('signing in again ends the session before', async () => {
  const visitor = visit()
  await visitor.signIn(account, CHAIN_ID)
  const before = visitor.cookie!
  await visitor.signIn(privateKeyToAccount(generatePrivateKey()), CHAIN_ID)
  const old = visit()
  old.cookie = before
  assert.is((await old.send('/api/session')).status, 401)
  assert.is((await visitor.send('/api/session')).status, 200)
})

WebSessions('requests of other sites change nothing', async () => {
  const visitor = visit()
  await visitor.signIn(account, CHAIN_ID)
  for (const origin of ['https://evil.test', 'null', 'http://app.test', undefined]) {
    for (const [method, path] of CHANGES) {
      const answer = await visitor.send(path, { method, body: {}, headers: { origin } })
      assert.is(answer.status, 403, `${method} ${path} of ${origin}`)
      assert.is(codeOf(answer), 'wrong_origin')
    }
  }
  const headers = { 'content-type': 'text/plain' }
  const form = await visitor.send('/api/key', { method: 'POST', body: '{}', headers })
  assert.is(form.status, 400)
  assert.is(await visitor.json('/api/key'), null)
  assert.is((await visitor.send('/api/session')).status, 200)
})

WebSessions('without a session nothing of a wallet is told or changed', async () => {
  const forged = visit()
  forged.cookie = `svc_session=${'A'.repeat(43)}`
  for (const visitor of [visit(), forged]) {
    for (const path of READS) {
      const answer = await visitor.send(path)
      assert.is(answer.status, 401, path)
      assert.is(codeOf(answer), 'session_required')
      assert.is(answer.headers['cache-control'], 'no-store')
    }
    for (const [method, path] of CHANGES) {
      if (path.startsWith('/api/session')) continue
      const answer = await visitor.send(path, { method, body: {} })
      assert.is(answer.status, 401, `${method} ${path}`)
    }
  }
  assert.is((await visit().send('/api/config')).status, 200)
  const unknown = await visit().send('/api/nothing')
  assert.is(unknown.status, 404)
  assert.is(codeOf(unknown), 'route_not_found')
})

WebSessions(
  'while the chain is away, accounts with a key sign in and contracts are told to wait',
  async () => {
    const away = await openWebStage({
      origin: ORIGIN,
      signIn: makeSignIn({ rpcUrl: 'http://127.0.0.1:1', chainId: CHAIN_ID }),
    })
    try {
      const visitor = () => new Visitor({ origin: ORIGIN, address: away.address })
      // No node is asked for an account with a key.
      assert.is((await visitor().signIn(account, CHAIN_ID)).status, 200)
      const contract = getAddress(`0x${'c0'.repeat(20)}`)
      const answer = await visitor().signIn(account, CHAIN_ID, { address: contract })
      assert.is(answer.status, 503, answer.text)
      assert.ok(answer.headers['retry-after'])
    } finally {
      await away.web.stop()
    }
  },
)

// Last: it moves the stage's time.
WebSessions('a session ends by itself', async () => {
  const visitor = visit()
  await visitor.signIn(account, CHAIN_ID)
  stage.elapse(12 * HOUR_MS - 60_000)
  assert.is((await visitor.send('/api/session')).status, 200)
  stage.elapse(60_000)
  assert.is((await visitor.send('/api/session')).status, 401)
})

const READS = [
  '/api/session',
  '/api/account',
  '/api/account/movements',
  '/api/deposit-address',
  '/api/key',
  '/api/settings',
  '/api/events',
]
const CHANGES = [
  ['POST', '/api/session/nonce'],
  ['POST', '/api/session'],
  ['DELETE', '/api/session'],
  ['POST', '/api/deposits'],
  ['POST', '/api/withdrawals'],
  ['POST', '/api/key'],
  ['DELETE', '/api/key'],
  ['PUT', '/api/settings'],
] as const

WebSessions.run()

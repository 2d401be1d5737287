import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { makeSignIn } from '../../../src/chain/sign-in.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import type { SignIn } from '../../../src/ports/web-chain.ts'
import { SOON_MS, until } from '../../until.ts'

/** Who signs in needs nothing of ours: what a stranger says makes the node run a contract of that stranger's. */
const Strangers = suite('signing in: contracts of strangers')

const [ORIGIN, CHAIN_ID, AT] = ['https://app.example.com', 31_337, Date.now()]
const TRUE = `0x${'1'.padStart(64, '0')}`
const FALSE = `0x${'0'.repeat(64)}`

interface Asked {
  readonly method: string
  readonly params: readonly { readonly gas?: string }[]
  answer(result: string): void
}

let server: Server
let signIn: SignIn
/** Questions that the node has not answered yet. */
let open: Asked[]
Strangers.before(async () => {
  server = createServer(async (request, response) => {
    const { id, ...question } = (await json(request)) as Omit<Asked, 'answer'> & { id: number }
    const answer = (result: string) => response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    open.push({ ...question, answer })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  signIn = makeSignIn({ rpcUrl, chainId: CHAIN_ID })
})
Strangers.before.each(() => {
  open = []
})
Strangers.after(() => {
  server.closeAllConnections()
  server.close()
})

const key = privateKeyToAccount(generatePrivateKey())
const message = createSiweMessage({
  ...{ version: '1', address: key.address, chainId: CHAIN_ID, nonce: 'ab'.repeat(16) },
  ...{ domain: new URL(ORIGIN).host, uri: ORIGIN, issuedAt: new Date(AT) },
})
/** Of no key: only a contract could have signed so. */
const OF_NO_KEY = `0x${'12'.repeat(100)}` as const

const verify = (signature: `0x${string}` = OF_NO_KEY) =>
  signIn
    .verify({ message, signature }, { origin: ORIGIN, at: toUnixMs(AT) })
    .catch((error: unknown) => error as Error)

Strangers(
  'a crowd of them makes the node run a few at a time, and no further than it takes',
  async () => {
    const told: unknown[] = []
    for (let i = 0; i < 40; i++) void verify().then((each) => told.push(each))
    await until(
      'the most of them to be turned away',
      () => told.length + open.length === 40,
      SOON_MS,
    )
    assert.ok(open.length > 0 && open.length < 10, `${open.length} at once`)
    for (const each of told) assert.instance(each, ChainUnavailable)
    for (const { method, params } of open) {
      assert.is(method, 'eth_call')
      assert.ok(Number(params[0]?.gas) <= 10_000_000, `with gas ${params[0]?.gas}`)
    }

    const withKey = await verify(await key.signMessage({ message }))
    assert.not.instance(withKey, Error, 'who has a key waits for none of them')
    const turnedAway = told.length
    for (const { answer } of open) answer(TRUE)
    await until('the others to be let in', () => told.length === 40, SOON_MS)
    for (const each of told.slice(turnedAway)) assert.is((each as { ok: boolean }).ok, true)
  },
)

Strangers('a contract that says no makes room for the next one', async () => {
  for (let round = 0; round < 12; round++) {
    const asked = verify()
    await until('the contract to be asked', () => open.length === 1, SOON_MS)
    open.pop()?.answer(FALSE)
    await until('the node to be asked whether it is there', () => open.length === 1, SOON_MS)
    open.pop()?.answer('0x7a69')
    assert.is(((await asked) as { ok: boolean }).ok, false)
  }
})

Strangers.run()

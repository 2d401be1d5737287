import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeRpc, type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { readLogs } from '../../../src/chain/rpc/log-ranges.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'

/** What a node, or a proxy before it, may answer in place of a result. */
const Answers = suite('answers of a node')

let server: Server
let rpc: Rpc
let url: string
let asked = 0
let reply: (
  id: number,
  range: { readonly fromBlock?: string; readonly toBlock?: string },
) => { readonly status?: number; readonly body: string } | 'nothing'
Answers.before(async () => {
  server = createServer(async (request, response) => {
    const { id, params } = (await json(request)) as {
      readonly id: number
      readonly params: object[]
    }
    asked++
    const told = reply(id, params[0] ?? {})
    if (told === 'nothing') return
    response.writeHead(told.status ?? 200).end(told.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  rpc = makeRpc(url)
})
Answers.after(async () => {
  await rpc.close()
  server.closeAllConnections()
  server.close()
})

const ask = (method = 'eth_chainId'): Promise<unknown> => {
  asked = 0
  return rpc.call(method, []).catch((error: unknown) => error as Error)
}
const answer = (id: unknown, rest: object) => JSON.stringify({ jsonrpc: '2.0', id, ...rest })

Answers('a result is told', async () => {
  reply = (id) => ({ body: answer(id, { result: '0x1' }) })
  assert.is(await ask(), '0x1')
})

Answers('the answer to another question is none', async () => {
  reply = (id) => ({ body: answer(id - 1, { result: '0x2' }) })
  const told = await ask()
  assert.instance(told, ChainUnavailable)
  assert.match((told as Error).message, 'eth_chainId: the node answered another question')
})

Answers('nothing is no answer to what is always known, such as a nonce', async () => {
  reply = (id) => ({ body: answer(id, { result: null }) })
  for (const method of ['eth_getTransactionCount', 'eth_blockNumber', 'eth_getLogs', 'eth_call']) {
    assert.instance(await ask(method), ChainUnavailable, method)
  }
  assert.is(await ask('eth_getTransactionReceipt'), null)
  assert.is(await ask('eth_getBlockByNumber'), null)
})

Answers('its number may come back as a string', async () => {
  reply = (id) => ({ body: answer(`${id}`, { result: '0x3' }) })
  assert.is(await ask(), '0x3')
})

Answers('a refusal that is words alone is told with them', async () => {
  for (const error of ['Not for you', { message: 'Not for you' }]) {
    reply = (id) => ({ status: 403, body: answer(id, { error }) })
    const told = await ask()
    assert.instance(told, RpcError)
    assert.is((told as Error).message, 'eth_chainId: Not for you (0)')
    assert.is(asked, 1)
  }
})

/** As providers say it, and whether they do so with status 429. */
const TOO_OFTEN: readonly (readonly [status: number, code: number, message: string])[] = [
  [429, 429, 'Your app has exceeded its compute units per second capacity.'],
  [200, 429, 'Your app has exceeded its concurrent requests capacity.'],
  [429, -32_005, 'daily request count exceeded, request rate limited'],
  [200, -32_005, 'project ID request rate exceeded'],
  [
    200,
    -32_007,
    '15/second request limit reached - reduce calls per second or upgrade your account',
  ],
  [200, -32_005, "You've exceeded the RPS limit available on the current plan."],
  [200, -32_016, 'over rate limit'],
  [200, -32_000, '429 Too Many Requests: {"error":{"code":-32016,"message":"over it"}}'],
  [200, -32_000, 'Request failed with status code 429'],
  [200, 15, 'Too many request, try again later'],
  [200, -32_029, 'rate limit reached'],
  [200, -32_012, 'credits limited to 6000/sec'],
  [200, -32_000, 'Exceeded the quota usage'],
]

Answers('too many questions are asked again later, and told as no answer', async () => {
  for (const [status, code, message] of TOO_OFTEN) {
    let left = 1
    reply = (id) =>
      left-- > 0
        ? { status, body: answer(id, { error: { code, message } }) }
        : { body: answer(id, { result: [] }) }
    assert.equal(await ask('eth_getLogs'), [], message)
    assert.is(asked, 2, message)
  }
})

Answers('a range is not asked for in parts of a node that has had too many questions', async () => {
  const error = { code: -32_005, message: 'project ID request rate exceeded' }
  reply = (id) => ({ body: answer(id, { error }) })
  asked = 0
  const filter = { address: `0x${'e5'.repeat(20)}`, topics: [] } as never
  const told = await readLogs(rpc, filter, 1, 1_000).catch((thrown: unknown) => thrown)
  assert.instance(told, ChainUnavailable)
  assert.not.instance(told, RpcError)
  assert.is((told as Error).message, 'eth_getLogs: project ID request rate exceeded (-32005)')
  assert.is(asked, 4)
})

Answers('a range that is too wide is refused at once, by the same number', async () => {
  for (const message of ['query returned more than 10000 results', 'limit exceeded']) {
    reply = (id) => ({ body: answer(id, { error: { code: -32_005, message } }) })
    assert.instance(await ask('eth_getLogs'), RpcError)
    assert.is(asked, 1)
  }
  reply = (id) =>
    asked > 1
      ? { body: answer(id, { result: '0x1' }) }
      : { body: answer(id, { error: { code: -32_005, message: 'limit exceeded' } }) }
  assert.is(await ask('eth_call'), '0x1', 'of anything else there is no range')
})

const RANGE = { address: `0x${'e5'.repeat(20)}`, topics: [] } as never
const WIDE = { code: -32_600, message: 'eth_getLogs is limited to 100 blocks' }

/** As gateways say it that stand before a node. */
const TOO_WIDE: readonly (readonly [string, (id: number) => ReturnType<typeof reply>])[] = [
  ['in a list of one', (id) => ({ status: 400, body: `[${answer(id, { error: WIDE })}]` })],
  ['in words alone', () => ({ status: 400, body: 'block range is too wide' })],
  ['with a page', () => ({ status: 413, body: '<html>Request Entity Too Large</html>' })],
  ['once it has taken too long', () => ({ status: 504, body: '<html>Gateway Timeout</html>' })],
]

for (const [how, refuse] of TOO_WIDE) {
  Answers(`a range that is refused ${how} is asked for in parts`, async () => {
    reply = (id, { fromBlock, toBlock }) =>
      Number(toBlock) - Number(fromBlock) >= 100
        ? refuse(id)
        : { body: answer(id, { result: [{ blockNumber: fromBlock }] }) }
    const logs = await readLogs(rpc, RANGE, 1, 200)
    assert.equal(
      logs.map(({ blockNumber }) => Number(blockNumber)),
      [1, 101],
    )
  })
}

Answers('a range that the node does not answer in time is asked for in parts', async () => {
  reply = (id, { fromBlock, toBlock }) =>
    Number(toBlock) - Number(fromBlock) >= 100
      ? 'nothing'
      : { body: answer(id, { result: [{ blockNumber: fromBlock }] }) }
  const impatient = makeRpc(url, 500)
  // More where this machine is slow.
  assert.ok((await readLogs(impatient, RANGE, 1, 200)).length >= 2)
  const told = await impatient.call('eth_call', [{ toBlock: '0xff' }]).catch((error) => error)
  assert.not.instance(told, RpcError, 'of anything else there is no part')
  await impatient.close()
})

Answers('a range is not asked for in parts of a gateway whose node is away', async () => {
  reply = () => ({ status: 502, body: '<html>Bad Gateway</html>' })
  asked = 0
  const told = await readLogs(rpc, RANGE, 1, 200).catch((thrown: unknown) => thrown)
  assert.instance(told, ChainUnavailable)
  assert.not.instance(told, RpcError)
  assert.is(asked, 1)
})

/** They are what is to be done about a transaction, and come again however often it is sent. */
const OTHER_NUMBERS: readonly (readonly [method: string, code: number, message: string])[] = [
  ['eth_sendRawTransaction', -32_000, 'nonce too low: next nonce 429, tx nonce 428'],
  ['eth_sendRawTransaction', -32_000, 'nonce too low: next nonce 430, tx nonce 429'],
  ['eth_sendRawTransaction', -32_005, 'Transaction gas limit exceeds block gas limit'],
  ['eth_call', -32_602, 'BlockOutOfRangeError: block height is 500 but requested was 429'],
]

Answers('a number of something else is not how often a node was asked', async () => {
  for (const [method, code, message] of OTHER_NUMBERS) {
    reply = (id) => ({ body: answer(id, { error: { code, message } }) })
    assert.instance(await ask(method), RpcError, message)
    assert.is(asked, 1, message)
  }
})

Answers('a contract that speaks of a rate limit is no provider', async () => {
  const error = { code: 3, message: 'execution reverted: rate limit exceeded' }
  reply = (id) => ({ body: answer(id, { error }) })
  assert.instance(await ask('eth_call'), RpcError)
  assert.is(asked, 1)
})

Answers('a page that says so, in place of an answer, is the same', async () => {
  reply = (id) =>
    asked > 1
      ? { body: answer(id, { result: '0x1' }) }
      : { status: 429, body: '<html>Too Many Requests</html>' }
  assert.is(await ask(), '0x1')
})

Answers('an error is told, also by who could not read the question', async () => {
  reply = () => ({ body: answer(null, { error: { code: -32_700, message: 'parse error' } }) })
  assert.instance(await ask(), RpcError)
})

Answers('a page of a proxy, half an answer and an answer without a result are none', async () => {
  for (const body of [
    '<html>Bad Gateway</html>',
    '{"jsonrpc":"2.0","id":1,"resu',
    '{}',
    '[]',
    '3',
  ]) {
    for (const status of [200, 502]) {
      reply = () => ({ status, body })
      const told = await ask()
      assert.instance(told, ChainUnavailable, body)
      assert.match((told as Error).message, `HTTP ${status} and no result`)
    }
  }
})

Answers.run()

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeRpc, type Rpc, RpcError } from '../../../src/chain/json-rpc.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'

/** What a node, or a proxy before it, may answer in place of a result. */
const Answers = suite('answers of a node')

let server: Server
let rpc: Rpc
let reply: (id: number) => { readonly status?: number; readonly body: string }
Answers.before(async () => {
  server = createServer(async (request, response) => {
    const { id } = (await json(request)) as { readonly id: number }
    const { status = 200, body } = reply(id)
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  rpc = makeRpc(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
Answers.after(async () => {
  await rpc.close()
  server.closeAllConnections()
  server.close()
})

const ask = (): Promise<unknown> =>
  rpc.call('eth_chainId', []).catch((error: unknown) => error as Error)
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

Answers('its number may come back as a string', async () => {
  reply = (id) => ({ body: answer(`${id}`, { result: '0x3' }) })
  assert.is(await ask(), '0x3')
})

Answers('a refusal that is words alone is told with them', async () => {
  for (const error of ['Too many requests', { message: 'Too many requests' }]) {
    reply = (id) => ({ status: 429, body: answer(id, { error }) })
    const told = await ask()
    assert.instance(told, RpcError)
    assert.is((told as Error).message, 'eth_chainId: Too many requests (0)')
  }
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
    for (const status of [200, 429, 502]) {
      reply = () => ({ status, body })
      const told = await ask()
      assert.instance(told, ChainUnavailable, body)
      assert.match((told as Error).message, `HTTP ${status} and no result`)
    }
  }
})

Answers.run()

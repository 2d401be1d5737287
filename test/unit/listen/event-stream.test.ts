import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { followEvents } from '../../../src/listen/event-stream.ts'

const Follow = suite('npm run listen: when it tries again')

/** @param retryAfter as the answer says it @returns how long is waited, in ms */
async function waitAfter(retryAfter: string): Promise<number> {
  const server = createServer((_request, response) => {
    response.writeHead(503, { 'retry-after': retryAfter }).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const end = new AbortController()
  let waited = Number.NaN
  await followEvents({
    url: `http://127.0.0.1:${port}/v1/events`,
    apiKey: 'a key',
    signal: end.signal,
    onOpen: () => assert.unreachable('it is refused'),
    onEvent: async () => {},
    onTrouble: (_reason, waitMs) => {
      waited = waitMs
      end.abort()
    },
  })
  server.closeAllConnections()
  server.close()
  return waited
}

Follow('as the service says, in seconds', async () => {
  assert.is(await waitAfter('7'), 7_000)
})

Follow('by itself where a proxy says it as a date, or as nothing that can be read', async () => {
  assert.is(await waitAfter('Wed, 21 Oct 2026 07:28:00 GMT'), 500)
  assert.is(await waitAfter('soon'), 500)
})

Follow.run()

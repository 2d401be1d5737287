import { type AddressInfo, createServer, type Server } from 'node:net'
import { connect, ErrorCode, type NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readJournal } from '../../../src/audit/books/read-journal.ts'
import { natsAddress } from '../../../src/bus/connection/address.ts'

/** Whoever answers in the place of a server that speaks TLS, and would be told the password. */
const WithoutTls = suite('tls:// leads to a server without TLS')

const INFO = { server_id: 'x', version: '2.12.0', proto: 1, headers: true, max_payload: 1_048_576 }

let server: Server
let url: string
let heard = ''
WithoutTls.before(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1')
    })
    socket.write(`INFO ${JSON.stringify(INFO)}\r\n`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `tls://edge:p-secret@127.0.0.1:${(server.address() as AddressInfo).port}`
})
WithoutTls.after(() => {
  server?.close()
})

WithoutTls('a role says nothing to it', async () => {
  const outcome = await connect({ ...natsAddress(url), reconnect: false }).then(
    () => 'connected',
    ({ code }: NatsError) => code,
  )
  assert.is(outcome, ErrorCode.ServerOptionNotAvailable)
  assert.is(heard, '')
})

WithoutTls('nor does the audit', async () => {
  const outcome = await readJournal(url, { chainId: 7, escrow: '0x' }).then(() => 'read', String)
  assert.match(outcome, /NATS at 127\.0\.0\.1:\d+ speaks no TLS/)
  assert.not.match(outcome, /secret/)
  assert.is(heard, '')
})

WithoutTls.run()

import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ConnectRequest,
  type ConnectResponse,
  WorkerServiceService,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { dial } from '../../../src/worker/dial.ts'
import { Outgoing, type PoolCall } from '../../../src/worker/outgoing.ts'

type Served = ServerDuplexStream<ConnectRequest, ConnectResponse>

/** A pool that reads nothing, over a connection that then ends: a job that waits for it would hold its slot for ever. */
const Stuck = suite('worker: a pool that reads nothing')

const DEADLINE_MS = 10_000

/** @param end how the stream ends, once it takes no more */
async function waitedFor(end: (served: Served, call: PoolCall) => void): Promise<string> {
  const server = new Server()
  let served: Served | undefined
  server.addService(WorkerServiceService, {
    connect: (call: Served) => {
      served = call.on('error', () => {})
      call.write({ message: { $case: 'heartbeat', value: { sentAt: 1 } } })
    },
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  const { call, close } = dial({ target: `127.0.0.1:${port}`, tls: false })
  // As a session does.
  call.on('error', () => {}).on('end', () => call.end())
  try {
    await new Promise((resolve) => call.on('data', resolve))
    const outgoing = new Outgoing()
    outgoing.attach(call, false)
    const chunk = { jobId: 'job', seq: 0, text: 'x'.repeat(200_000) }
    for (let i = 0; i < 100; i++) {
      outgoing.send({ $case: 'chunks', value: { chunks: [chunk] } })
    }
    const ready = outgoing.ready().then(() => 'went on')
    // What the connection holds in between has left by then.
    const soon = new Promise<string>((resolve) => setTimeout(resolve, 200, 'waits'))
    assert.is(await Promise.race([ready, soon]), 'waits')
    end(served!, call)
    const late = new Promise<string>((resolve) => setTimeout(resolve, DEADLINE_MS, 'hangs').unref())
    return await Promise.race([ready, late])
  } finally {
    close()
    server.forceShutdown()
  }
}

Stuck('is waited for no longer than its stream lives, however that ends', async () => {
  const ends = [
    (_: Served, call: PoolCall) => call.cancel(),
    (served: Served) =>
      served.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'it does not read' }),
    (served: Served) => served.end(),
  ]
  for (const end of ends) assert.is(await waitedFor((...sides) => void end(...sides)), 'went on')
})

Stuck.run()

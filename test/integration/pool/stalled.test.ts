import { connect } from 'node:http2'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WorkerServiceService } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { listen } from '../../../src/pool/session/server.ts'
import type { WorkerCall } from '../../../src/pool/session/worker-call.ts'
import { WorkerLine } from '../../../src/pool/session/worker-line.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { dial } from '../../../src/worker/dial.ts'
import { pause, SOON_MS, until } from '../../until.ts'

/** What was said to a worker that does not read, after its end. Over real streams: grpc-js has no word for it. */
const Stalled = suite('pool: a worker that has stalled')

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const OFFERS = 8
const OFFER_UNITS = 2_000_000

/** The HTTP/2 stream inside of grpc-js. */
const streamOf = (call: WorkerCall) =>
  (call as unknown as { call: { stream: { destroyed: boolean } } }).call.stream

/** A pool that has met one worker, dialled by `dialIn`. */
async function meet<Worker extends { end(): void }>(dialIn: (port: number) => Worker) {
  const calls: WorkerCall[] = []
  const onWorker = (call: WorkerCall) => void calls.push(call)
  const server = await listen({ host: '127.0.0.1', port: 0, tls: undefined, onWorker })
  const worker = dialIn(server.port)
  await until('the call', () => calls.length === 1, SOON_MS)
  const call = calls.pop()!
  const close = async () => {
    worker.end()
    await server.close()
  }
  return { call, worker, line: new WorkerLine(call, systemClock, false), close }
}

/** Reads nothing: an agent of ours always does. */
function dialAndStall(port: number) {
  const session = connect(`http://127.0.0.1:${port}`)
  const headers = { 'content-type': 'application/grpc', te: 'trailers' }
  const path = WorkerServiceService.connect.path
  const stream = session.request({ ':method': 'POST', ':path': path, ...headers })
  for (const each of [session, stream]) each.on('error', () => {})
  return { end: () => session.destroy() }
}

function dialAndRead(port: number) {
  const { call, close } = dial({ target: `127.0.0.1:${port}`, tls: false })
  call.on('error', () => {})
  const end = () => {
    call.cancel()
    close()
  }
  return { call, end }
}

/** @returns what all of it holds, as long as somebody does */
function sayMuch(line: WorkerLine): WeakRef<object> {
  const messages = [{ role: 2, content: 'x'.repeat(OFFER_UNITS) }]
  for (let n = 0; n < OFFERS; n++) {
    line.say({
      $case: 'offer',
      value: {
        ...{ jobId: `job ${n}`, model: 'm', messages, sampling: undefined, maxOutputTokens: 1 },
        ...{ deadlineAt: 0, canary: false },
      },
    })
  }
  return new WeakRef(messages)
}

const ENDING = { code: 8, details: 'offers are not being read' }

/** In a function of its own: when it is over, nothing here holds on to the call. */
async function untilCut({ call, line }: Awaited<ReturnType<typeof meet>>) {
  const said = sayMuch(line)
  await pause(300) // as much has gone out as the buffers on the way take
  line.end(ENDING)
  assert.ok(call.writableLength > 0, 'it has not read all')
  await until('the end of the stream', () => streamOf(call).destroyed, 5_000)
  assert.ok(call.destroyed)
  return said
}

Stalled('its stream is gone a second after its end, with all that it did not read', async () => {
  let close = async () => {}
  const begin = async () => {
    const met = await meet(dialAndStall)
    close = met.close
    return untilCut(met)
  }
  try {
    const said = await begin()
    const isForgotten = () => {
      collectGarbage()
      return said.deref() === undefined
    }
    await until('what was said is forgotten', isForgotten, SOON_MS)
  } finally {
    await close()
  }
})

Stalled('one that reads on has everything, and the status', async () => {
  const { worker, line, close } = await meet(dialAndRead)
  let offers = 0
  let details: string | undefined
  worker.call.on('status', (status) => {
    details = status.details
  })
  sayMuch(line)
  line.end(ENDING)
  worker.call.on('data', () => void offers++)
  try {
    await until('the status', () => details, SOON_MS)
    assert.equal([offers, details], [OFFERS, ENDING.details])
  } finally {
    await close()
  }
})

Stalled.run()

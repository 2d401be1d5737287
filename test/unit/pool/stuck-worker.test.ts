import { EventEmitter } from 'node:events'
import { constants } from 'node:http2'
import { status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HEARTBEAT_MS, type MetWorker, Session } from '../../../src/pool/session/session.ts'
import type { WorkerCall } from '../../../src/pool/session/worker-call.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const CANCEL = constants.NGHTTP2_CANCEL

const Stuck = suite('pool: a worker that reads nothing')

/** A stream whose other side says that it lives, and reads only where `reads` says so. */
class Call extends EventEmitter {
  ended: unknown
  destroyed = false
  /** As grpc-js has it: the HTTP/2 stream inside. */
  readonly call = { stream: { close: (code: number) => void this.resets.push(code) } }
  readonly resets: number[] = []

  constructor(private readonly reads: boolean) {
    super()
    this.on('error', (ending) => {
      this.ended = ending
    })
  }
  destroy(): void {
    this.destroyed = true
  }
  write(_message: unknown, read: () => void): boolean {
    if (this.reads) read()
    return true
  }
}

function sessionOver(call: Call, clock: ManualClock): Session {
  const session = new Session({ batches: false } as MetWorker, clock, {
    received: () => {},
    streamBroke: () => false,
    closed: () => {},
  })
  session.speakOver(call as unknown as WorkerCall)
  return session
}

async function after(spanMs: number, reads: boolean): Promise<unknown> {
  const [clock, call] = [new ManualClock(), new Call(reads)]
  const session = sessionOver(call, clock)
  session.cancel('job', false)
  for (let passed = 0; passed < spanMs; passed += HEARTBEAT_MS) {
    await clock.advance(HEARTBEAT_MS)
    call.emit('data', { message: { $case: 'heartbeat', value: { sentAt: clock.now() } } })
  }
  const { ended } = call
  session.end({ code: status.UNAVAILABLE, details: 'the test is over' })
  return ended
}

Stuck('is sent away after twenty seconds, and no sooner', async () => {
  assert.is(await after(18_000, false), undefined)
  const details = 'offers are not being read'
  assert.equal(await after(24_000, false), { code: status.RESOURCE_EXHAUSTED, details })
})

Stuck('one that reads stays', async () => {
  assert.is(await after(60_000, true), undefined)
})

for (const reads of [false, true]) {
  const what = reads
    ? 'its own side is not left open for longer than a second'
    : 'what is not read is dropped a second later'
  Stuck(`when it is sent away: ${what}`, async () => {
    const [clock, call] = [new ManualClock(), new Call(reads)]
    const session = sessionOver(call, clock)
    session.cancel('job', false)
    session.end({ code: status.UNAVAILABLE, details: 'the pool shuts down' })
    await clock.advance(900)
    assert.equal([call.destroyed, call.resets], [false, []])
    await clock.advance(200)
    assert.equal([call.destroyed, call.resets], [true, [CANCEL]])
  })
}

Stuck.run()

import { EventEmitter } from 'node:events'
import { status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HEARTBEAT_MS, type MetWorker, Session } from '../../../src/pool/session.ts'
import type { WorkerCall } from '../../../src/pool/worker-call.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Stuck = suite('pool: a worker that reads nothing')

/** A stream whose other side says that it lives, and reads only where `reads` says so. */
class Call extends EventEmitter {
  ended: unknown

  constructor(private readonly reads: boolean) {
    super()
    this.on('error', (ending) => {
      this.ended = ending
    })
  }
  write(_message: unknown, read: () => void): boolean {
    if (this.reads) read()
    return true
  }
}

async function after(spanMs: number, reads: boolean): Promise<unknown> {
  const [clock, call] = [new ManualClock(), new Call(reads)]
  const session = new Session({ batches: false } as MetWorker, clock, {
    received: () => {},
    streamBroke: () => false,
    closed: () => {},
  })
  session.speakOver(call as unknown as WorkerCall)
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

Stuck.run()

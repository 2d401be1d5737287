import { EventEmitter } from 'node:events'
import { status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type MetWorker, Session } from '../../../src/pool/session/session.ts'
import type { WorkerCall } from '../../../src/pool/session/worker-call.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Unreadable = suite('pool: a message that cannot be read')

Unreadable('ends the session: what the worker runs does not wait for it to be back', () => {
  const told: string[] = []
  const session = new Session({ batches: false, resumes: true } as MetWorker, new ManualClock(), {
    received: () => {},
    streamBroke: () => {
      told.push('broke')
      return true
    },
    closed: () => told.push('closed'),
  })
  const call = new EventEmitter()
  let ended: { code?: status } = {}
  call.on('error', (ending) => {
    ended = ending
  })
  session.speakOver(call as unknown as WorkerCall)
  call.emit('data', { message: undefined, flaw: 'invalid wire type' })
  assert.is(ended.code, status.INVALID_ARGUMENT)
  assert.equal(told, ['closed'])
  assert.ok(session.isOver)
})

Unreadable.run()

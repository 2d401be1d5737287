import { EventEmitter } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ConnectRequest,
  ConnectResponse,
  LeftOutModel_Reason,
  type Models,
  Welcome,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { AcceptedJobs, type AcceptedJobsOptions } from '../../../src/worker/accepted-jobs.ts'
import { Session, type SessionOptions } from '../../../src/worker/session.ts'
import { until } from '../../until.ts'

const Silence = suite('worker: a pool that keeps silent')

const INTERVAL_MS = 50
/** Longer than a pool may be silent. */
const HALT_MS = INTERVAL_MS * 8

/** A stream to a pool that takes all, and ends when it is told to. */
class Call extends EventEmitter {
  readonly kinds: string[] = []
  cancelled = false
  destroyed = false
  writableEnded = false

  write({ message }: ConnectRequest): boolean {
    if (message) this.kinds.push(message.$case)
    return true
  }
  cancel(): void {
    this.cancelled = true
    this.emit('status', { code: 1, details: 'cancelled' })
  }
  end(): void {}
}

/** A session that has been welcomed; nothing comes after that by itself. */
function welcomed(offered: (models: Models) => void = () => {}) {
  const call = new Call()
  const log = makeLog('test', 'silent')
  const nothing = () => {}
  const options = {
    ...{ call, log, slots: 1, region: '', models: new Map(), runs: new Set(), paces: new Map() },
    jobs: new AcceptedJobs({
      log,
      runs: new Set(),
      onRan: nothing,
    } as unknown as AcceptedJobsOptions),
    identity: { address: `0x${'0'.repeat(40)}` },
    hears: { welcomed: nothing, offered, stands: nothing, mustMove: nothing },
  }
  const session = new Session(options as unknown as SessionOptions)
  const value = { ...Welcome.decode(new Uint8Array()), heartbeatIntervalMs: INTERVAL_MS }
  call.emit('data', { message: { $case: 'welcome', value } })
  return { call, session }
}

/** As a machine that sleeps: nothing of this process runs meanwhile. */
const halt = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HALT_MS)

Silence('is left after three intervals', async () => {
  const { call, session } = welcomed()
  await until('the session ends', () => call.cancelled)
  assert.ok((await session.ended).welcomed)
  assert.ok(call.kinds.includes('heartbeat'))
})

Silence('is given one more span by an agent that was halted itself', async () => {
  const { call } = welcomed()
  halt()
  await until('it beats or leaves', () => call.cancelled || call.kinds.includes('heartbeat'))
  assert.not(call.cancelled)
  await until('the session ends all the same', () => call.cancelled)
})

const Strange = suite('worker: a pool that says what cannot be')

Strange('a reason of a later protocol is read as one that is not known', () => {
  const heard: Models[] = []
  const { call } = welcomed((models) => heard.push(models))
  const leftOut = [{ id: 'a/b', reason: 99 as LeftOutModel_Reason }]
  const said: ConnectResponse = { message: { $case: 'models', value: { taken: [], leftOut } } }
  call.emit('data', ConnectResponse.decode(ConnectResponse.encode(said).finish()))
  call.cancel()
  assert.equal(heard[0]?.leftOut, [{ id: 'a/b', reason: LeftOutModel_Reason.UNRECOGNIZED }])
})

Strange('a date beyond all calendars ends nothing', () => {
  const { call } = welcomed()
  const taken = [{ id: 'a/b', contextWindow: 1, retiresAt: Number.MAX_SAFE_INTEGER }]
  call.emit('data', { message: { $case: 'models', value: { taken, leftOut: [] } } })
  call.cancel()
})

for (const each of [Silence, Strange]) each.run()

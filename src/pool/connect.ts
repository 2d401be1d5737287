import { status } from '@grpc/grpc-js'
import type { ConnectRequest } from '../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../domain/bytes.ts'
import type { Address } from '../domain/ids.ts'
import { domainSeparator } from '../domain/proof.ts'
import { err, ok, type Result } from '../domain/result.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../telemetry/log.ts'
import type { Enrolment } from './enrolment.ts'
import { checkHello, PROTOCOL_MAX, PROTOCOL_MIN } from './hello.ts'
import type { Pool } from './pool.ts'
import type { WorkerProfile } from './registry/state.ts'
import {
  type Ending,
  endCall,
  type FromWorker,
  HEARTBEAT_MS,
  Session,
  type ToWorker,
  type WorkerCall,
} from './session.ts'

export interface ConnectDeps {
  readonly pool: Pool
  readonly enrolment: Enrolment
  readonly clock: Clock
  readonly log: Log
  readonly chainId: number
  readonly jobEscrow: Address
  readonly workerStaking: Address
}

const HELLO_MS = 10_000

/** Meets a worker that has just dialled: challenge, hello, welcome; or a status that says why not. */
export async function meetWorker(call: WorkerCall, deps: ConnectDeps): Promise<void> {
  try {
    const known = await introduce(call, deps)
    if (call.cancelled || call.readableEnded) return endCall(call, LEFT)
    if (known.ok) return welcome(call, known.value, deps)
    const { code, details } = known.error
    deps.log.info({ code: status[code], details }, 'worker turned away')
    endCall(call, known.error)
  } catch (error) {
    deps.log.error({ err: error }, 'a worker could not be welcomed')
    endCall(call, { code: status.INTERNAL, details: 'the pool failed: dial again' })
  }
}

async function introduce(
  call: WorkerCall,
  deps: ConnectDeps,
): Promise<Result<WorkerProfile, Ending>> {
  const closed = closedDoor(deps.pool)
  if (closed) return err(closed)
  const nonce = Buffer.from(deps.clock.randomBytes(32))
  call.write({ message: challenge(nonce, deps) })
  const first = await firstMessage(call, deps.clock)
  if (first?.$case !== 'hello') return err(NO_HELLO)
  const hello = checkHello(
    first.value,
    nonce,
    domainSeparator({
      name: 'WorkerStaking',
      chainId: deps.chainId,
      contract: deps.workerStaking,
    }),
  )
  if (!hello.ok) return hello
  const workerId = await deps.enrolment.workerId(hello.value.registration)
  if (!workerId.ok) return workerId
  const closedMeanwhile = closedDoor(deps.pool)
  if (closedMeanwhile) return err(closedMeanwhile)
  return ok({ ...hello.value.profile, workerId: workerId.value })
}

function welcome(call: WorkerCall, profile: WorkerProfile, deps: ConnectDeps): void {
  const { pool, clock } = deps
  const session = new Session(profile, call, clock, (ended) => pool.leave(ended))
  call.on('data', ({ message }: ConnectRequest) => {
    if (message) pool.receive(session, message)
  })
  session.send({
    $case: 'welcome',
    value: {
      workerId: profile.workerId,
      sessionToken: Buffer.from(clock.randomBytes(16)),
      heartbeatIntervalMs: HEARTBEAT_MS,
      pool: pool.poolId,
    },
  })
  session.beat()
  pool.join(session)
}

const challenge = (nonce: Buffer, deps: ConnectDeps): ToWorker => ({
  $case: 'challenge',
  value: {
    nonce,
    chainId: deps.chainId,
    jobEscrow: toBytes(deps.jobEscrow),
    workerStaking: toBytes(deps.workerStaking),
    protocolMin: PROTOCOL_MIN,
    protocolMax: PROTOCOL_MAX,
  },
})

/** The first message, or undefined where none comes in time or the worker leaves. */
function firstMessage(call: WorkerCall, clock: Clock): Promise<FromWorker | undefined> {
  return new Promise((resolve) => {
    const stopTimer = clock.after(HELLO_MS, () => done(undefined))
    const done = (message: FromWorker | undefined) => {
      stopTimer()
      resolve(message)
    }
    call.once('data', ({ message }: ConnectRequest) => done(message))
    call.once('end', () => done(undefined))
    call.once('cancelled', () => done(undefined))
  })
}

function closedDoor(pool: Pool): Ending | undefined {
  if (pool.draining) return { code: status.UNAVAILABLE, details: 'the pool shuts down' }
  if (pool.hasRoom) return undefined
  return { code: status.RESOURCE_EXHAUSTED, details: 'the pool is full: dial another' }
}

const LEFT: Ending = { code: status.OK, details: 'the worker left' }
const NO_HELLO: Ending = {
  code: status.INVALID_ARGUMENT,
  details: `the first message must be hello, within ${HELLO_MS} ms`,
}

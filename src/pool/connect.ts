import { status } from '@grpc/grpc-js'
import { toBytes } from '../domain/bytes.ts'
import type { Address } from '../domain/ids.ts'
import { domainSeparator } from '../domain/proof.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { PROTOCOLS } from '../domain/version.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../telemetry/log.ts'
import type { Pool } from './pool.ts'
import type { Departures } from './session/departures.ts'
import type { Enrolment } from './session/enrolment.ts'
import { checkHello } from './session/hello.ts'
import type { Newcomers } from './session/newcomers.ts'
import { type MetWorker, Session } from './session/session.ts'
import { sayWelcome } from './session/welcome.ts'
import {
  type Ending,
  type Received,
  showOut,
  type ToWorker,
  unreadable,
  type WorkerCall,
} from './session/worker-call.ts'

export interface ConnectDeps {
  readonly pool: Pool
  readonly catalogue: Catalogue
  readonly enrolment: Enrolment
  readonly newcomers: Newcomers
  readonly departures: Departures
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
    if (call.cancelled || call.readableEnded) return showOut(call, LEFT, deps.clock)
    if (known.ok) return letIn(call, known.value, deps)
    deps.pool.members.turnedAway(known.error)
    showOut(call, known.error, deps.clock)
  } catch (error) {
    deps.log.error({ err: error }, 'a worker could not be welcomed')
    showOut(call, FAILED, deps.clock)
  }
}

interface Introduced {
  readonly profile: MetWorker
  /** Its session of before goes on; undefined: a new one begins. */
  readonly before: Session | undefined
}

async function introduce(call: WorkerCall, deps: ConnectDeps): Promise<Result<Introduced, Ending>> {
  const closed = closedDoor(deps)
  if (closed) return err(closed)
  const nonce = Buffer.from(deps.clock.randomBytes(32))
  call.write({ message: challenge(nonce, deps) })
  const { message: first, flaw } = (await firstRequest(call, deps.clock)) ?? {}
  if (flaw) return err(unreadable(flaw))
  if (first?.$case !== 'hello') return err(NO_HELLO)
  const hello = checkHello(
    first.value,
    nonce,
    domainSeparator({
      name: 'WorkerStaking',
      chainId: deps.chainId,
      contract: deps.workerStaking,
    }),
    deps.catalogue,
    deps.clock.now(),
  )
  if (!hello.ok) return hello
  const { address } = hello.value.profile
  const token = first.value.sessionToken
  // For one that finds none here, nothing is paid.
  if (!deps.pool.members.hasRoomFor(address)) return err(FULL)
  const workerId = await deps.enrolment.workerId(hello.value.registration)
  if (!workerId.ok) return workerId
  const shown = await deps.pool.members.shownBefore(hello.value.profile)
  const closedMeanwhile = closedDoor(deps)
  if (closedMeanwhile) return err(closedMeanwhile)
  const profile = { ...hello.value.profile, workerId: workerId.value, shown }
  if (!deps.pool.members.hasRoomFor(address)) return err(FULL)
  return ok({ profile, before: deps.pool.members.sessionOf(address, token) })
}

function letIn(call: WorkerCall, { profile, before }: Introduced, deps: ConnectDeps): void {
  if (before) deps.pool.members.resume(before, call)
  else welcome(call, profile, deps)
}

function welcome(call: WorkerCall, profile: MetWorker, deps: ConnectDeps): void {
  const { pool, departures } = deps
  const session = new Session(profile, pool.time, {
    received: (from, message) => pool.receive(from, message),
    streamBroke: (broken) => pool.members.streamBroke(broken),
    closed: (ended) => {
      departures.left(ended)
      pool.members.leave(ended)
    },
  })
  session.speakOver(call)
  sayWelcome(session, pool.poolId)
  departures.joined(session)
  pool.members.join(session)
  deps.newcomers.welcome(profile.address, [...profile.models.keys()], profile.region)
}

const challenge = (nonce: Buffer, deps: ConnectDeps): ToWorker => ({
  $case: 'challenge',
  value: {
    nonce,
    chainId: deps.chainId,
    jobEscrow: toBytes(deps.jobEscrow),
    workerStaking: toBytes(deps.workerStaking),
    protocolMin: PROTOCOLS.min,
    protocolMax: PROTOCOLS.max,
  },
})

/** Undefined where none comes in time or the worker leaves. */
function firstRequest(call: WorkerCall, clock: Clock): Promise<Received | undefined> {
  return new Promise((resolve) => {
    const stopTimer = clock.after(HELLO_MS, () => done(undefined))
    const done = (request: Received | undefined) => {
      stopTimer()
      resolve(request)
    }
    call.once('data', done)
    call.once('end', () => done(undefined))
    call.once('cancelled', () => done(undefined))
  })
}

function closedDoor({ pool, catalogue }: ConnectDeps): Ending | undefined {
  if (pool.draining) return { code: status.UNAVAILABLE, details: 'the pool shuts down' }
  return catalogue.known ? undefined : NO_CATALOGUE
}

const FULL: Ending = {
  code: status.RESOURCE_EXHAUSTED,
  details: 'the pool is full: dial another',
}
const NO_CATALOGUE: Ending = {
  code: status.UNAVAILABLE,
  details: 'the pool has not read the catalogue of models yet: dial again',
}
const FAILED: Ending = { code: status.INTERNAL, details: 'the pool failed: dial again' }
const LEFT: Ending = { code: status.OK, details: 'the worker left' }
const NO_HELLO: Ending = {
  code: status.INVALID_ARGUMENT,
  details: `the first message must be hello, within ${HELLO_MS} ms`,
}

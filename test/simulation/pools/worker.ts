import type { Challenge, Offer, Welcome } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { Failure_Reason, Refusal_Reason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../../../src/domain/bytes.ts'
import type { Identity } from '../../../src/worker/identity.ts'
import type { World } from '../world.ts'
import { JobRun } from './job-run.ts'
import type { PoolNode } from './pool-node.ts'
import { workerIdentity } from './signer.ts'
import { type FromWorker, Stream, type ToWorker } from './stream.ts'
import { planCanary, planJob, type WorkerKind } from './worker-plan.ts'

export interface WorkerOptions {
  readonly number: number
  readonly kind: WorkerKind
  readonly models: readonly string[]
  readonly slots: number
  /** It is to show what it can do before it is paid for anything. */
  readonly isTried: boolean
  /** Those that can be dialled now. */
  pools(): readonly PoolNode[]
  /** It has signed this text as the answer of a job. */
  signed(jobId: string, text: string): void
}

const HEARTBEAT_MS = 2_000
const LEAVES_AFTER_JOBS = 3

/** A worker as its operator runs it, or as somebody would who wants to do harm. */
export class Worker {
  readonly name: string
  readonly identity: Identity
  #stream: Stream | undefined
  #pool: PoolNode | undefined
  #token = Buffer.alloc(0)
  #escrowSeparator: Uint8Array | undefined
  #isDraining = false
  #done = 0
  #stopBeating = () => {}
  readonly #runs = new Map<string, JobRun>()
  readonly #open = new Set<string>()
  readonly #signed = new Set<string>()
  /** Models of which it has passed a canary job. */
  readonly #shown = new Set<string>()

  constructor(
    private readonly world: World,
    private readonly options: WorkerOptions,
  ) {
    this.name = `worker-${options.number}`
    this.identity = workerIdentity(options.number)
  }

  start(): void {
    this.#dial()
  }

  /** When the world heals, everybody means well. */
  get #kind(): WorkerKind {
    return this.world.faults.healing ? 'honest' : this.options.kind
  }

  #dial(): void {
    const { world } = this
    const pools = this.options.pools()
    const again = this.#token.length > 0 ? this.#pool : undefined
    const pool = again?.node.alive ? again : pools.length > 0 ? world.random.pick(pools) : undefined
    if (!pool || world.faults.cut(this.name, pool.node.name)) {
      this.#dialIn(world.random.between(200, 1_000))
      return
    }
    if (pool !== this.#pool) this.#forget()
    this.#pool = pool
    const stream = new Stream(world, {
      worker: this.name,
      pool: pool.node,
      listener: {
        heard: (message) => this.#heard(stream, message),
        ended: (code, details) => this.#ended(stream, code, details),
      },
    })
    this.#stream = stream
    pool.node.clock.after(world.faults.latency(), () => pool.meet(stream.call))
  }

  #dialIn(ms: number): void {
    this.world.after(ms, () => this.#dial())
  }

  #ended(stream: Stream, code: number | undefined, details: string): void {
    if (this.#stream !== stream) return
    this.world.history.add(this.name, `stream ended: ${code ?? 'cut'} ${details}`)
    this.#stream = undefined
    this.#stopBeating()
    // A status is the pool's word that the session is over.
    if (code !== undefined) this.#forget()
    this.#isDraining = false
    this.#dialIn(this.world.random.between(100, 3_000))
  }

  #forget(): void {
    this.#token = Buffer.alloc(0)
    for (const run of this.#runs.values()) run.drop()
    this.#runs.clear()
    this.#open.clear()
  }

  #heard(stream: Stream, message: ToWorker): void {
    if (this.#stream !== stream) return
    switch (message.$case) {
      case 'challenge':
        this.#introduce(message.value)
        return
      case 'welcome':
        this.#welcome(message.value)
        return
      case 'offer':
        this.#consider(message.value)
        return
      case 'cancel':
        this.#cancel(message.value.jobId, message.value.settle)
        return
      case 'drain':
        this.#leaveWhenDone()
        return
      case 'heartbeat':
      case 'standing':
      case 'models':
        return
    }
  }

  #introduce(challenge: Challenge): void {
    const answer = this.identity.answer(challenge)
    this.#escrowSeparator = answer.escrowSeparator
    this.#say({
      $case: 'hello',
      value: {
        protocol: 2,
        worker: toBytes(this.identity.address),
        payee: toBytes(this.identity.payee),
        challengeSignature: answer.challengeSignature,
        registrationSignature: answer.registrationSignature,
        models: this.options.models.map((id) => ({ id, contextWindow: 0 })),
        slots: this.options.slots,
        engine: this.options.kind,
        region: 'simulated',
        agent: this.name,
        sessionToken: this.#token,
        resumes: true,
        priceFloorBps: 0,
        batches: this.world.random.chance(0.5),
      },
    })
  }

  #welcome({ sessionToken, resumed }: Welcome): void {
    this.#token = Buffer.from(sessionToken)
    const going = new Map(resumed.map(({ jobId, nextSeq }) => [jobId, nextSeq]))
    for (const [jobId, run] of this.#runs) {
      if (going.has(jobId)) continue
      run.drop()
      this.#runs.delete(jobId)
      this.#open.delete(jobId)
    }
    for (const [jobId, nextSeq] of going) {
      const run = this.#runs.get(jobId)
      if (run) run.resume(nextSeq)
      else this.#fail(jobId, Failure_Reason.REASON_NOT_KNOWN)
    }
    this.#stopBeating()
    this.#beat()
  }

  #consider(offer: Offer): void {
    const { world } = this
    const { jobId } = offer
    const kind = this.#kind
    const plan = offer.canary ? planCanary(kind, world.random) : planJob(kind, world.random)
    if (this.options.isTried && !offer.canary && !this.#shown.has(offer.model)) {
      world.fail(
        `${this.name} is offered ${jobId}, and has not shown that it serves ${offer.model}`,
      )
    }
    const refusal = this.#refusalOf(jobId, kind, plan.refuses)
    if (refusal !== undefined) {
      this.#say({ $case: 'refusal', value: { jobId, reason: refusal } })
      return
    }
    const { lie, breaksAfter } = plan
    world.history.add(
      this.name,
      `takes ${jobId}${offer.canary ? ', unpaid' : ''}${lie ? `, lies: ${lie}` : ''}`,
    )
    this.#open.add(jobId)
    const run = new JobRun({
      world,
      identity: this.identity,
      escrowSeparator: this.#escrowSeparator!,
      offer,
      plan,
      say: (message) => this.#say(message),
      progressed: (pieces) => {
        if (pieces === breaksAfter) this.#vanish()
      },
      ended: (text) => this.#jobEnded(offer, text),
    })
    this.#runs.set(jobId, run)
    run.begin()
    if (breaksAfter === 0) this.#vanish()
  }

  /** An honest worker signs nothing twice; one that duplicates does not care. */
  #refusalOf(jobId: string, kind: WorkerKind, refuses: boolean): Refusal_Reason | undefined {
    if (this.#isDraining) return Refusal_Reason.REASON_DRAINING
    if (refuses) {
      const { REASON_BUSY, REASON_TOO_LATE, REASON_MODEL_NOT_SERVED } = Refusal_Reason
      return this.world.random.pick([REASON_BUSY, REASON_TOO_LATE, REASON_MODEL_NOT_SERVED])
    }
    const isAgain = this.#signed.has(jobId) && kind !== 'duplicating'
    return isAgain ? Refusal_Reason.REASON_ALREADY_SIGNED : undefined
  }

  #jobEnded({ jobId, canary, model }: Offer, text: string | undefined): void {
    this.#open.delete(jobId)
    if (text !== undefined) {
      this.#signed.add(jobId)
      if (!canary) this.options.signed(jobId, text)
      else if (text !== '') this.#shown.add(model)
    }
    this.#done++
    const leaves = this.#kind === 'draining' && this.#done % LEAVES_AFTER_JOBS === 0
    if (leaves) this.world.after(1, () => this.#leaveWhenDone())
  }

  #cancel(jobId: string, settle: boolean): void {
    const run = this.#runs.get(jobId)
    if (run && this.#open.has(jobId)) run.stop(settle)
    else if (!run) this.#fail(jobId, Failure_Reason.REASON_CANCELLED)
  }

  #leaveWhenDone(): void {
    if (!this.#stream) return
    if (!this.#isDraining) this.#say({ $case: 'drain', value: { reason: 'leaves' } })
    this.#isDraining = true
    const stream = this.#stream
    const look = () => {
      if (this.#stream !== stream) return
      if (this.#open.size > 0) this.world.after(200, look)
      else {
        stream.end()
        this.#forget()
        this.#ended(stream, 0, 'it left')
      }
    }
    look()
  }

  #vanish(): void {
    const { random } = this.world
    const stream = this.#stream
    if (!stream) return
    if (random.chance(0.3)) {
      // Its process died: nothing is known of the session any more.
      this.#forget()
    }
    if (random.chance(0.5)) stream.reset()
    else stream.fallSilent()
  }

  #beat(): void {
    const beat = () => {
      this.#say({ $case: 'heartbeat', value: { sentAt: this.world.now() } })
      this.#stopBeating = this.world.after(HEARTBEAT_MS, beat)
    }
    beat()
  }

  #fail(jobId: string, reason: Failure_Reason): void {
    this.#say({ $case: 'failure', value: { jobId, reason, message: '' } })
  }

  #say(message: FromWorker): void {
    this.#stream?.say(message)
  }
}

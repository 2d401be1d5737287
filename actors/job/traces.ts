import type { UnixMs } from '../../src/domain/time.ts'
import { namedSpan, type Traceparent } from '../../src/domain/traceparent.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Attributes, SpanEvent, Traces } from '../../src/telemetry/traces.ts'
import { partitionOfJob } from './actor.ts'
import { isProven } from './completed.ts'
import { rests } from './due.ts'
import type { JobsMeter } from './resource.ts'
import { type BegunJob, isCompleted, isEnded, isPaid, isRunning, type Job } from './state.ts'
import { isBack, reasonOf } from './terms.ts'

type TracedJob = BegunJob & { terms: { trace: Traceparent } }

interface Options {
  readonly traces: Traces
  readonly clock: Clock
}

/** What this host has seen of a job. */
interface Life {
  /** Stages that are behind it, seen here or found. */
  readonly stages: Set<string>
  readonly events: SpanEvent[]
}

/**
 * One span a job, from its making until it comes to rest, with an event a stage. It is told of as a whole by
 * the host where it ends: hosts come and go, and a span that one has begun no other can end. Stages that a
 * job had behind it when it came to this host are not told: nobody here knows when they were.
 */
export class JobTraces implements JobsMeter {
  readonly oldestPending = Number.POSITIVE_INFINITY
  readonly #options: Options
  readonly #lives = new Map<string, Life>()

  constructor(options: Options) {
    this.#options = options
  }

  changed(id: string, _sequence: number, job: Job, how?: 'read'): void {
    if (!isTraced(job)) return
    const known = this.#lives.get(id)
    // Woken by a dispute: its span was told of when it was settled, and there is one a job.
    if (!known && isPaid(job)) return
    const life = known ?? { stages: new Set(), events: [] }
    const at = this.#options.clock.now()
    if (how === 'read') pass(job, life, at)
    else {
      for (const { name, attributes, since = at } of newStages(job, life)) {
        life.events.push({ name, at: since, attributes })
      }
    }
    life.stages.add(SEEN)
    if (!rests(job)) this.#lives.set(id, life)
    // What had come to rest before this host heard of it was another host's to tell of.
    else if (this.#lives.delete(id) && how !== 'read') this.#tell(job, life, at)
  }

  released(partitions: readonly number[]): void {
    for (const id of this.#lives.keys()) {
      if (partitions.includes(partitionOfJob(id))) this.#lives.delete(id)
    }
  }

  #tell(job: TracedJob, { events }: Life, end: UnixMs): void {
    const { trace, id, createdAt: start } = job.terms
    const context = namedSpan(trace, id)
    const attributes = attributesOf(job)
    this.#options.traces.record({
      name: 'job',
      context,
      parent: trace,
      start,
      end,
      attributes,
      events,
    })
  }
}

const isTraced = (job: Job): job is TracedJob =>
  job.status !== 'abandoned' && job.terms.trace !== undefined

/** Takes note of what happened elsewhere. */
function pass(job: TracedJob, life: Life, at: UnixMs): void {
  if (life.stages.size === 0) {
    life.events.push({ name: 'taken over', at, attributes: { 'svc.status': job.status } })
  }
  newStages(job, life)
}

/** The first of all. */
const SEEN = 'seen'

interface Stage {
  readonly key: string
  readonly name: string
  readonly attributes: Attributes
  /** Where it was heard of later. */
  readonly since?: UnixMs | undefined
}

function newStages(job: TracedJob, { stages }: Life): Stage[] {
  const fresh = stagesOf(job).filter(({ key }) => !stages.has(key))
  for (const { key } of fresh) stages.add(key)
  return fresh
}

/** What has happened by this state, as far as it shows. */
function stagesOf(job: TracedJob): Stage[] {
  const found: Stage[] = []
  const add = (name: string, attributes: Attributes, key = name, since?: UnixMs) =>
    found.push({ key, name, attributes, since })
  const { escrow } = job
  if (escrow.at === 'locked') {
    add('locked', { 'svc.tx': escrow.tx, 'svc.block': escrow.block || undefined })
  }
  if (isRunning(job) && job.attempt) {
    const { number, worker } = job.attempt
    add('offered', { 'svc.attempt': number }, `offered ${number}`)
    if (worker) add('assigned', { 'svc.attempt': number }, `assigned ${number}`)
  }
  if (isCompleted(job)) {
    if (isProven(job) && job.worker.takenAt !== undefined) {
      const { attempt, worker } = job
      add('assigned', { 'svc.attempt': attempt }, `assigned ${attempt}`, worker.takenAt)
    }
    add('completed', { 'svc.tokens': job.usage?.completionTokens })
    const { settlement } = job
    if (settlement) add('settled', { 'svc.tx': settlement.tx, 'svc.block': settlement.block })
  }
  if (isEnded(job)) {
    add('failed', { 'svc.reason': reasonOf(job.refusal) })
    if (isBack(escrow)) {
      add('refunded', { 'svc.tx': escrow.refundTx, 'svc.block': escrow.refundBlock })
    }
  }
  return found
}

const attributesOf = (job: TracedJob): Attributes => ({
  'svc.job_id': job.terms.id,
  'svc.model': job.terms.model,
  'svc.status': job.status,
  'svc.credits_locked': Number(job.terms.lock),
  ...(isCompleted(job)
    ? {
        'svc.credits_charged': Number(job.charged),
        'svc.tokens': job.usage?.completionTokens,
      }
    : {}),
  ...(isEnded(job) ? { 'error.type': reasonOf(job.refusal) } : {}),
})

import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { DurationMs } from '../../../src/domain/time.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import type { Attempt, EventType, WebhookRecord } from '../../../src/messages/webhook.ts'
import type { Endpoint, Received } from './endpoints.ts'
import { type Contents, type Deposit, judgeContents, judgeTopups } from './judge-contents.ts'

/** One webhook of a life, made before its wallet's first job. */
export interface Interested {
  readonly wallet: Address
  readonly webhookId: string
  readonly events: readonly EventType[]
  readonly endpoint: Endpoint
}

export interface Deliverables extends Contents {
  /** All jobs in the end. */
  readonly jobs: readonly JobView[]
  /** All that is kept of attempts (stream ATTEMPT), in order. */
  readonly attempts: readonly Attempt[]
  /** As the bucket WEBHOOKS has it in the end. */
  record(wallet: Address, webhookId: string): WebhookRecord | undefined
  /** Before each attempt. */
  readonly schedule: readonly DurationMs[]
  /** Hosts were away for longer than streams know ids: who comes then may tell an event anew. */
  readonly mayBeToldAnew: boolean
  /** How far apart the clocks of hosts were. */
  readonly clocksApartMs: DurationMs
  /** Since the webhooks were made. */
  readonly deposits?: readonly Deposit[]
  /** The chain has: what was told of it then may be so no more. */
  readonly hasGoneBack?: boolean
}

/** Everything about webhooks that is not as it must be in the end, in words. */
export function judgeWebhooks(
  webhooks: readonly Interested[],
  life: Deliverables,
): readonly string[] {
  return webhooks.flatMap((webhook) => {
    const record = life.record(webhook.wallet, webhook.webhookId)
    if (!record) return [`${webhook.webhookId} is nowhere`]
    const hasFailed = record.status === 'failed'
    return [
      ...(life.mayBeToldAnew ? [] : judgeBodies(webhook)),
      ...(hasFailed ? [] : judgeDue(webhook, life)),
      ...judgeUndue(webhook, life),
      ...judgeAttempts(webhook, life, hasFailed),
    ]
  })
}

/** What is due by now and has not come: in time it must. Of webhooks that have failed, nothing. */
export const stillDue = (
  webhooks: readonly Interested[],
  life: Pick<Deliverables, 'jobs' | 'record' | 'deposits' | 'hasGoneBack'>,
): readonly string[] =>
  webhooks.flatMap((webhook) => {
    const hasFailed = life.record(webhook.wallet, webhook.webhookId)?.status === 'failed'
    return hasFailed ? [] : judgeDue(webhook, life)
  })

interface Envelope {
  readonly id: string
  readonly event: EventType
  readonly data: Readonly<Record<string, unknown>> & { readonly job_id?: string }
}
/** Each is judged again and again until all rests. */
const read = new WeakMap<Received, Envelope>()
function envelopeOf(received: Received): Envelope {
  const known = read.get(received)
  if (known) return known
  const envelope = JSON.parse(received.body) as Envelope
  read.set(received, envelope)
  return envelope
}

/** One event has one id and one body, however often it comes. */
function judgeBodies({ endpoint }: Interested): string[] {
  const bodies = new Map<string, string>()
  const ids = new Map<string, string>()
  const flaws: string[] = []
  for (const received of endpoint.received) {
    const { id, event, data } = envelopeOf(received)
    const { eventId, body } = received
    if (id !== eventId) flaws.push(`${endpoint.url}: header ${eventId}, envelope ${id}`)
    if ((bodies.get(id) ?? body) !== body) flaws.push(`${endpoint.url}: two bodies of ${id}`)
    bodies.set(id, body)
    if (data.job_id === undefined) continue
    const what = `${event} ${data.job_id}`
    if ((ids.get(what) ?? id) !== id) flaws.push(`${endpoint.url}: two ids of ${what}`)
    ids.set(what, id)
  }
  return flaws
}

/** What the specification says has happened to a job, from how it stands in the end. */
function dueEvents(view: JobView): readonly EventType[] {
  const { status, escrowTx, worker, disputeTx } = view
  const isPaid = status === 'settled' || status === 'disputed' || disputeTx !== null
  const due: EventType[] = []
  if (escrowTx !== null && (isPaid || view.refundTx !== null)) due.push('job.submitted')
  if (worker !== null) due.push('job.processing')
  if (isPaid) due.push('job.completed')
  else if (status === 'failed') due.push('job.failed')
  else if (status === 'refunded') due.push('job.timeout')
  if (status === 'disputed') due.push('job.disputed')
  return due
}

const tookOf = ({ received }: Endpoint): Set<string> =>
  new Set(
    received.map((each) => {
      const { event, data } = envelopeOf(each)
      return `${event} ${data.job_id}`
    }),
  )

function judgeDue(
  { wallet, events, endpoint }: Interested,
  {
    jobs,
    deposits = [],
    hasGoneBack = false,
  }: Pick<Deliverables, 'jobs' | 'deposits' | 'hasGoneBack'>,
): string[] {
  if (endpoint.kind === 'dead') return []
  const took = tookOf(endpoint)
  const mine = deposits.filter((deposit) => deposit.wallet === wallet)
  const topups = events.includes('credit.topup')
    ? judgeTopups(endpoint.received.map(envelopeOf), mine, hasGoneBack)
    : []
  const ofJobs = jobs
    .filter((view) => view.wallet === wallet)
    .flatMap((view) => dueEvents(view).map((event) => ({ event, id: view.id })))
    .filter(({ event, id }) => events.includes(event) && !took.has(`${event} ${id}`))
    .map(({ event, id }) => `never heard of ${event} of ${id}`)
  return [...ofJobs, ...topups].map((flaw) => `${endpoint.url}: ${flaw}`)
}

/** The ends of a job exclude one another, and nobody hears of the jobs of others. */
function judgeUndue({ wallet, events, endpoint }: Interested, life: Deliverables): string[] {
  const { jobs, wasUndone } = life
  const byId = new Map<string, JobView>(jobs.map((view) => [view.id, view]))
  return endpoint.received.flatMap((received) => {
    const envelope = envelopeOf(received)
    const { event, data } = envelope
    const flaw = (what: string) => [`${endpoint.url}: ${event} of ${data.job_id}, ${what}`]
    if (!events.includes(event)) return flaw('which it did not ask for')
    if (data.job_id === undefined) return []
    const view = byId.get(data.job_id as JobId)
    if (!view) return flaw('which is nowhere')
    if (view.wallet !== wallet) return flaw('which is the job of another wallet')
    const wrong = judgeContents(envelope, view, life)
    if (wrong.length > 0) return wrong.flatMap(flaw)
    const isEnd = event === 'job.completed' || event === 'job.failed' || event === 'job.timeout'
    if (!isEnd || dueEvents(view).includes(event)) return []
    // It was, until the chain went back; then it has failed, and that is due.
    if (event === 'job.completed' && wasUndone(view)) return []
    return flaw(`which is ${view.status}`)
  })
}

/** More than a delivery comes early by itself. */
const EARLY_MS = 1_000

function judgeAttempts(
  { webhookId }: Interested,
  { attempts, schedule, clocksApartMs }: Deliverables,
  hasFailed: boolean,
): string[] {
  const flaws: string[] = []
  const made = new Map<string, Attempt[]>()
  for (const attempt of attempts) {
    if (attempt.webhookId !== webhookId) continue
    const line = made.get(attempt.eventId) ?? []
    made.set(attempt.eventId, [...line, attempt])
    if (attempt.attempt > schedule.length) flaws.push(`${webhookId}: attempt ${attempt.attempt}`)
    const before = line.filter((other) => other.attempt === attempt.attempt - 1)
    const atLatest = attempt.at + EARLY_MS + clocksApartMs
    const isEarly = before.every(({ nextAt }) => nextAt === null || atLatest < nextAt)
    const wasTried = attempt.status !== null || attempt.error?.startsWith('not sent') !== true
    if (attempt.attempt > 1 && wasTried && isEarly) {
      flaws.push(`${webhookId}: attempt ${attempt.attempt} of ${attempt.eventId} comes too early`)
    }
  }
  for (const [eventId, line] of made) {
    const last = line.at(-1)!
    const isOver = line.some(({ delivered, nextAt }) => delivered || nextAt === null)
    if (!isOver) flaws.push(`${webhookId}: ${eventId} rests after attempt ${last.attempt}`)
    const failedForGood = line.some(({ delivered, nextAt }) => !delivered && nextAt === null)
    if (failedForGood && !hasFailed) flaws.push(`${webhookId}: ${eventId} failed, and it has not`)
  }
  return flaws
}

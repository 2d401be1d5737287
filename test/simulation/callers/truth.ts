import type { JobEvent } from '../../../actors/job/events.ts'
import type { Job } from '../../../actors/job/state.ts'
import { viewOf } from '../../../actors/job/view.ts'
import { decode } from '../../../src/bus/codec.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import type { Attempt, WalletWebhooks, WebhookRecord } from '../../../src/messages/webhook.ts'
import type { ActorRecord } from '../../../src/runtime/actor.ts'
import type { SimNats } from '../nats/server.ts'

/** All jobs that began, as their journals have them now. */
export function jobViews(nats: SimNats): ReadonlyMap<JobId, JobView> {
  const views = new Map<JobId, JobView>()
  for (const { data } of nats.stream('JOB').messages.values()) {
    const { body } = decode(data) as { body: ActorRecord<Job, JobEvent> }
    // The last one of a job is its state.
    if (body.state.status === 'abandoned') continue
    const view = viewOf(body.state)
    views.set(view.id, view)
  }
  return views
}

/** All attempts that are kept, in the order in which they were stored. */
export function attemptsOf(nats: SimNats): readonly Attempt[] {
  return [...nats.stream('ATTEMPT').messages.values()].flatMap(({ subject, data }) => {
    const isAttempt = subject.endsWith('.first') || subject.includes('.later.')
    return isAttempt ? [decode(data) as Attempt] : []
  })
}

export function webhookRecord(
  nats: SimNats,
  wallet: Address,
  webhookId: string,
): WebhookRecord | undefined {
  const entry = nats.bucket('WEBHOOKS').entries.get(wallet)
  if (!entry || entry.operation === 'DEL') return undefined
  return (decode(entry.value) as WalletWebhooks).webhooks.find(({ id }) => id === webhookId)
}

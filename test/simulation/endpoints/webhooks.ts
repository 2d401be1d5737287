import type { Address } from '../../../src/domain/ids.ts'
import { makeWebhookId, WEBHOOK_ID_BYTES } from '../../../src/domain/webhook-id.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import type { CreateWebhook, EventType, WebhookReply } from '../../../src/messages/webhook.ts'
import type { Bus } from '../../../src/ports/bus.ts'
import { pause } from '../../../src/ports/clock.ts'
import type { Node, World } from '../world.ts'
import { type Endpoints, kindOf } from './endpoints.ts'
import type { Interested } from './judge.ts'

const JOB_EVENTS: readonly EventType[] = [
  'job.submitted',
  'job.processing',
  'job.completed',
  'job.failed',
  'job.timeout',
  'job.disputed',
]
const ANSWER_MS = 5_000
const RETRY_MS = 300

/**
 * Makes webhooks for some of the wallets, as an edge would, and again until each is made.
 * @param node whose clock counts; `bus` is its own
 */
export async function makeWebhooks(
  world: World,
  { node, bus, endpoints }: { node: Node; bus: Bus; endpoints: Endpoints },
  wallets: readonly Address[],
): Promise<readonly Interested[]> {
  const { random } = world
  const made: Interested[] = []
  for (const wallet of wallets) {
    for (let count = random.between(0, 2); count > 0; count--) {
      const endpoint = endpoints.add(kindOf(random))
      const events = random.chance(0.7)
        ? JOB_EVENTS
        : JOB_EVENTS.filter(() => random.chance(0.5)).concat('credit.topup')
      const id = makeWebhookId(node.clock.randomBytes(WEBHOOK_ID_BYTES))
      const { url, secret, kind } = endpoint
      const wanted = { type: 'CreateWebhook', id, wallet, url, events, secret } as const
      const webhookId = await untilMade(node, bus, wanted)
      world.history.add(url, `${kind}, webhook ${webhookId} of ${wallet}: ${events.join(' ')}`)
      made.push({ wallet, webhookId, events, endpoint })
    }
  }
  return made
}

async function untilMade(node: Node, bus: Bus, wanted: CreateWebhook): Promise<string> {
  for (;;) {
    try {
      const reply = await bus.request<WebhookReply>(SUBJECTS.webhooks, wanted, ANSWER_MS)
      if (reply.type === 'webhook') return reply.webhook.id
      if (reply.type === 'refused') throw new Refused(reply.refusal.message)
    } catch (error) {
      if (error instanceof Refused) throw error
    }
    await pause(node.clock, RETRY_MS)
  }
}

class Refused extends Error {}

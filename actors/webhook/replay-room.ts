import type { WebhookRefusal, WebhookReply } from '../../src/messages/webhook.ts'
import type { WebhookQueues } from '../../src/ports/webhook-queues.ts'
import { refused } from './requests.ts'

/** Owed to one webhook: its attempts end within minutes, unless it hangs or fails. */
const OWED_MOST = 20_000
/** Owed to all. Wallets and webhooks cost nothing, so what one may have bounds nothing alone. */
const OWED_BYTES_MOST = 1024 ** 3

/** May this webhook be owed more that nobody has paid for? Undefined: yes. */
export type ReplayRoom = (webhookId: string) => Promise<WebhookRefusal | undefined>

/**
 * What waits lies on the disk on which the journal lies, and nothing else bounds it: a slow endpoint, asked to be sent
 * the same again and again, would take the room of all jobs. Events are told all the same.
 */
export const replayRoom =
  ({ owedBytes, owedTo }: Pick<WebhookQueues, 'owedBytes' | 'owedTo'>): ReplayRoom =>
  async (webhookId) => {
    // First, since it costs the server nothing however much waits.
    if ((await owedBytes()) >= OWED_BYTES_MOST) return NO_ROOM
    return (await owedTo(webhookId)) >= OWED_MOST ? TOO_MUCH_WAITS : undefined
  }

/**
 * One at a time of each webhook, in this process: all that are asked for at once would find the same room. Replays of
 * one event need no turn.
 */
export function makeReplayTurns() {
  const underWay = new Set<string>()
  return async (webhookId: string, replay: () => Promise<WebhookReply>): Promise<WebhookReply> => {
    if (underWay.has(webhookId)) return refused(ONE_AT_A_TIME)
    underWay.add(webhookId)
    try {
      return await replay()
    } finally {
      underWay.delete(webhookId)
    }
  }
}

const later = (message: string): WebhookRefusal => ({ code: 'rate_limited', message, param: null })

const TOO_MUCH_WAITS = later(
  `${OWED_MOST} deliveries to this webhook wait to be sent already. Ask again once its endpoint has answered some of them.`,
)
const NO_ROOM = later(
  'Too many deliveries wait to be sent at the moment, to all webhooks together. Ask again later.',
)
const ONE_AT_A_TIME = later(
  'Another replay of this webhook is under way. Ask again once it has been answered.',
)

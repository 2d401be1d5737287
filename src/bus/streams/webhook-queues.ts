import { SUBJECTS } from '../../messages/subjects.ts'
import type { WebhookQueues } from '../../ports/webhook-queues.ts'
import { encode } from '../codec.ts'
import type { StreamReader } from './read-stream.ts'
import { makeWorkQueue } from './work-queue.ts'

const PUBLISH_TIMEOUT_MS = 2_000
/** An attempt is made within ten seconds, and said to be under way all that time. */
const DUE_ACK_WAIT_MS = 15_000
/** A fact is shared out, and a waiting delivery put elsewhere, within milliseconds. */
const QUICK_ACK_WAIT_MS = 10_000
const DUE_HELD_MOST = 50_000
const FACTS_HELD_MOST = 5_000
/** Facts stay for a month: their webhooks are not told of all that again. */
const FACTS_AGAIN_MS = 10 * 60_000
/** Those at the head of a line: the server looks through all of them whenever one is ready. */
const WAITING_HELD_MOST = 1_000

/** Streams FACT and HOOK, as those who deliver events read them. */
export function makeWebhookQueues(facts: StreamReader, hooks: StreamReader): WebhookQueues {
  return {
    facts: makeWorkQueue(facts, {
      name: 'webhook-fan-out',
      filter: 'fact.>',
      ackWaitMs: QUICK_ACK_WAIT_MS,
      heldMost: FACTS_HELD_MOST,
      againMs: FACTS_AGAIN_MS,
    }),
    due: makeWorkQueue(hooks, {
      name: 'webhook-due',
      filter: SUBJECTS.hook('*'),
      ackWaitMs: DUE_ACK_WAIT_MS,
      heldMost: DUE_HELD_MOST,
    }),
    waiting: (seconds) =>
      makeWorkQueue(hooks, {
        name: `webhook-waiting-${seconds}`,
        filter: SUBJECTS.hookWaiting(seconds, '*'),
        ackWaitMs: QUICK_ACK_WAIT_MS,
        heldMost: WAITING_HELD_MOST,
      }),
    put: async (delivery, key, seconds) => {
      const { webhookId } = delivery
      const subject =
        seconds === 0 ? SUBJECTS.hook(webhookId) : SUBJECTS.hookWaiting(seconds, webhookId)
      await hooks.js.publish(subject, encode(delivery), {
        msgID: key,
        timeout: PUBLISH_TIMEOUT_MS,
      })
    },
    owedTo: async (webhookId) => {
      const subjects = [SUBJECTS.hook(webhookId), SUBJECTS.hookWaiting('*', webhookId)]
      const counts = await Promise.all(subjects.map((subject) => countOf(hooks, subject)))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    owedBytes: async () => (await hooks.jsm.streams.info(hooks.stream)).state.bytes,
  }
}

/** How many messages a stream holds under the subjects that a filter names. */
async function countOf({ jsm, stream }: StreamReader, filter: string): Promise<number> {
  const { state } = await jsm.streams.info(stream, { subjects_filter: filter })
  return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0)
}

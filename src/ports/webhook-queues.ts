import type { Fact } from '../messages/fact.ts'
import type { Delivery } from '../messages/webhook.ts'
import type { WorkQueue } from './work-queue.ts'

/** What is owed to webhooks (stream HOOK), and the facts that nobody has looked at yet. */
export interface WebhookQueues {
  readonly facts: WorkQueue<Fact>
  /** Deliveries whose attempt may be made. */
  readonly due: WorkQueue<Delivery>
  /** Deliveries that wait, in the order in which they were put, by how long: `HOOK_WAITS_SECONDS`. */
  waiting(seconds: HookWait): WorkQueue<Delivery>
  /**
   * Resolves once it is stored. The same `key` again within ten minutes adds nothing.
   * @param seconds how long it waits before it becomes due
   */
  put(delivery: Delivery, key: string, seconds: HookWait | 0): Promise<void>
  /** How many deliveries are owed to one webhook, whether due or waiting. */
  owedTo(webhookId: string): Promise<number>
  /** How much room all that is owed takes. */
  owedBytes(): Promise<number>
}

/**
 * Each of these waits has a line of its own, in which who comes first leaves first: so only its head is
 * looked at, however many wait. Any other span is made of several.
 */
export const HOOK_WAITS_SECONDS = [1, 5, 30, 300, 1_800, 7_200] as const
export type HookWait = (typeof HOOK_WAITS_SECONDS)[number]

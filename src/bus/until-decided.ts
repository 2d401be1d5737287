import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamClient, type JetStreamPublishOptions, NatsError, type PubAck } from 'nats'

// What a replicated stream says while another message of the subject, or the same one, has been
// proposed to its replicas and is not stored yet. It may still be lost with its leader.
const DUPLICATE_IN_PROCESS = 10_158
const EXPECTATION_NOT_READY = 10_163
const SUBJECT_IN_PROCESS = 10_164
const UNDECIDED = new Set([DUPLICATE_IN_PROCESS, EXPECTATION_NOT_READY, SUBJECT_IN_PROCESS])

const PAUSE_FIRST_MS = 5
const PAUSE_MOST_MS = 100
const TIMEOUT_MS = 2_000

/**
 * From now on `publish` is not answered before the stream knows: stored, or refused because of
 * something that is stored. Buckets of the same client publish the same way. Past the time-out the
 * undecided answer is thrown, which like any other failure leaves open what became of the message.
 */
export function publishUntilDecided(js: JetStreamClient): JetStreamClient {
  const publish = js.publish.bind(js)
  return Object.assign(js, {
    publish: async (
      subject: string,
      data?: Parameters<typeof publish>[1],
      options?: Partial<JetStreamPublishOptions>,
    ): Promise<PubAck> => {
      const until = performance.now() + (options?.timeout ?? TIMEOUT_MS)
      for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MOST_MS)) {
        try {
          return await publish(subject, data, options)
        } catch (error) {
          if (!isUndecided(error) || performance.now() + pauseMs > until) throw error
          await sleep(pauseMs)
        }
      }
    },
  })
}

const isUndecided = (error: unknown): boolean =>
  error instanceof NatsError && UNDECIDED.has(error.api_error?.err_code ?? 0)

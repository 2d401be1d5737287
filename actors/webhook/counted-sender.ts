import type { WebhookSender } from '../../src/ports/webhook-sender.ts'
import type { Metrics } from '../../src/telemetry/metrics.ts'

/** A sender whose attempts are counted and timed. */
export function countedSender(sender: WebhookSender, metrics: Metrics): WebhookSender {
  const attempts = metrics.counter({
    name: 'svc_webhook_attempts_total',
    help: 'Attempts to deliver an event, by whether the endpoint took it.',
    labels: ['result'],
  })
  const latency = metrics.histogram({
    name: 'svc_webhook_attempt_seconds',
    help: 'How long endpoints took to answer.',
  })
  return {
    ...sender,
    send: async (request) => {
      const answer = await sender.send(request)
      attempts.inc({ result: answer.delivered ? 'delivered' : 'failed' })
      latency.observe({}, answer.latencyMs / 1_000)
      return answer
    },
  }
}

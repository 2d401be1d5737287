import type { Clock } from '../../ports/clock.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Follower } from '../waiting/follower.ts'
import type { Outcome } from '../waiting/outcome.ts'
import type { RequestTrace } from './request-trace.ts'

/** How long callers wait for their answers, and how those end. */
export interface JobTimes {
  begin(model: string, follower: Follower, trace?: RequestTrace): TimedJob
}

export interface TimedJob {
  /** To be followed in place of the follower that was given. */
  readonly follower: Follower
  end(outcome: Outcome | 'hung_up'): void
}

interface Options {
  readonly metrics: Metrics
  readonly clock: Clock
}

export function makeJobTimes({ metrics, clock }: Options): JobTimes {
  const firstText = metrics.histogram({
    name: 'svc_answer_first_text_seconds',
    help: 'From the admission of a request until its caller could be sent text.',
    labels: ['model'],
  })
  const whole = metrics.histogram({
    name: 'svc_answer_whole_seconds',
    help: 'From the admission of a request until its answer was whole.',
    labels: ['model'],
  })
  const ends = metrics.counter({
    name: 'svc_answer_ends_total',
    help: 'How answers ended: completed, hung_up, or the error code that the caller was told.',
    labels: ['model', 'end'],
  })
  let open = 0
  metrics.gauge({ name: 'svc_answers_open', help: 'Callers that wait for an answer.' }, () => open)

  return {
    begin: (model, inner, trace) => {
      const beganAt = clock.monotonic()
      const passed = () => (clock.monotonic() - beganAt) / 1_000
      let heard = false
      open++
      return {
        follower: {
          get committed() {
            return inner.committed
          },
          onText: (text, head) => {
            if (!heard) {
              firstText.observe({ model }, passed())
              trace?.firstText()
            }
            heard = true
            inner.onText(text, head)
          },
          onTick: () => inner.onTick(),
        },
        end: (outcome) => {
          open--
          const end = endOf(outcome)
          ends.inc({ model, end })
          trace?.over(end)
          if (outcome !== 'hung_up' && outcome.type === 'completed')
            whole.observe({ model }, passed())
        },
      }
    },
  }
}

function endOf(outcome: Outcome | 'hung_up'): string {
  if (outcome === 'hung_up') return outcome
  return outcome.type === 'completed' ? 'completed' : outcome.refusal.code
}

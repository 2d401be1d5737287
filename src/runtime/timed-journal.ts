import type { Clock } from '../ports/clock.ts'
import type { Journal } from '../ports/journal.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** A journal whose appends are timed: every stage of a job waits for one. */
export function timedJournal(journal: Journal, metrics: Metrics, clock: Clock): Journal {
  const appends = metrics.histogram({
    name: 'svc_journal_append_seconds',
    help: 'From an append of a job until it was acknowledged, conflicts included.',
  })
  return {
    ...journal,
    append: async (subject, expected, record) => {
      const beganAt = clock.monotonic()
      const written = await journal.append(subject, expected, record)
      appends.observe({}, (clock.monotonic() - beganAt) / 1_000)
      return written
    },
  }
}

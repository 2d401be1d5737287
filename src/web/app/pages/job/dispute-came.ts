import type { JobLife } from '../../../api.ts'

/**
 * What has come of a dispute that was opened, by the job as it was read since. Over: the job itself says how. Refused:
 * nothing in the job tells that there was one.
 */
export function disputeCame({ job, timeline }: JobLife): 'open' | 'over' | 'refused' {
  if (job.status === 'disputed') return 'open'
  const isRejected = timeline.some(({ event }) => event === 'dispute_rejected')
  return job.status === 'settled' && !isRejected ? 'refused' : 'over'
}

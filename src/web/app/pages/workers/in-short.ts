import type { WebStandings } from '../../../workers-api.ts'
import { whyIdle } from './why-idle.ts'

/** What a worker does now, for one line of a list; where it can get no jobs, the first reason. */
export function inShort(standings: WebStandings): string {
  const [standing] = standings.data
  const canWork = standing?.state === 'ready' && standing.models.length > 0
  if (!standing || (!canWork && standing.busy === 0)) return whyIdle(standings)[0]?.why ?? ''
  const { busy, slots, jobs } = standing
  const done = jobs.finished === 1 ? '1 job finished' : `${jobs.finished} jobs finished`
  const failed = jobs.failed > 0 ? `, ${jobs.failed} failed` : ''
  return `${busy} of ${slots} slots busy · ${done}${failed} since it connected`
}

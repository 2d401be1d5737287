import { type Standing, Standing_State } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { UnixMs } from '../../domain/time.ts'
import type { Awaited } from './canaries.ts'

/**
 * A worker's standing with the models that it has yet to show. One that gets no jobs at all because
 * its canary jobs failed is set aside until the next of them; agents of every version say why.
 */
export function withAwaited(standing: Standing, awaited: readonly Awaited[], at: UnixMs): Standing {
  if (awaited.length === 0) return standing
  const { state, models } = standing
  const reason = [standing.reason, ...awaited.map(told)].filter(Boolean).join('; ')
  if (state !== Standing_State.STATE_READY) return { ...standing, reason }
  const nextAt = Math.min(...awaited.map(({ retry }) => (retry?.why ? retry.nextAt : 0)))
  return models.length === 0 && nextAt > at
    ? { ...standing, reason, state: Standing_State.STATE_RESTING, restingUntil: nextAt }
    : { ...standing, reason }
}

const told = ({ model, retry }: Awaited): string =>
  retry?.why
    ? `no jobs of ${model}, since its canary job failed: ${retry.why}`
    : `no jobs of ${model} before its canary job, an unpaid one, is done`

import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { WebStandings } from '../../../workers-api.ts'
import { Countdown } from '../../parts/countdown.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { standingQuery } from './standing-query.ts'
import { whyIdle } from './why-idle.ts'

const LOOK_AGAIN_MS = 5_000

/** What the pools say of a worker to its operator. */
export function Standing({ worker }: { readonly worker: string }) {
  const query = useQuery({ ...standingQuery(worker), refetchInterval: LOOK_AGAIN_MS })
  return (
    <Loaded query={query} lines={3}>
      {(standings) => (
        <>
          <Text fw={600}>{headline(standings)}</Text>
          <ul aria-label="Reasons" className="reasons">
            {whyIdle(standings).map(({ why, todo, until }) => (
              <li key={why}>
                <strong>{why}</strong> {todo}
                {until && (
                  <>
                    {' '}
                    Again <Countdown until={until} done="now" />.
                  </>
                )}
              </li>
            ))}
          </ul>
          <Text size="sm" className="muted">
            Price is never a reason: a tier has one price, whoever serves it. Only the worker’s
            payee and its own key see this.
          </Text>
        </>
      )}
    </Loaded>
  )
}

function headline({ data: [standing] }: WebStandings): string {
  if (!standing) return 'Not connected now'
  const { busy, slots, jobs } = standing
  const done = `${jobs.finished} finished since it connected`
  if (busy > 0) return `It works on ${busy} of ${slots} jobs that it takes at once; ${done}.`
  return standing.state === 'ready'
    ? `Connected and ready, with no job now; ${done}.`
    : `Connected, and gets no jobs now; ${done}.`
}

import { Box, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { WebConfig } from '../../../api.ts'
import { sessionQuery } from '../../api/queries.ts'
import { readLastPaidJob, type WorkerMoney } from '../../chain/workers.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { TxLink } from '../../parts/tx-link.tsx'
import { JobTo } from '../explorer/links.tsx'
import { Standing } from './standing.tsx'

interface Props {
  readonly worker: WorkerMoney
  readonly web: WebConfig
}

const LOOK_AGAIN_MS = 10_000

/** The chain knows who was paid, not who was passed over: its pool tells that. */
export function WhyNoJobs({ worker, web }: Props) {
  const last = useQuery({
    queryKey: ['chain', 'last-paid-job', worker.id],
    queryFn: () => readLastPaidJob(web, worker.id),
    refetchInterval: LOOK_AGAIN_MS,
  })
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Why no jobs?
      </Title>
      <div className="card">
        <Loaded query={last} lines={1}>
          {(job) => (
            <Text>
              {job ? (
                <>
                  The latest job it was paid for is <JobTo id={job.id} />. <TxLink hash={job.tx} />
                </>
              ) : (
                'It was paid for no job in the latest blocks.'
              )}
            </Text>
          )}
        </Loaded>
        {worker.hasLeft ? (
          <Text mt="xs">
            It has left for good, and no pool gives it jobs any more. Serve on with another key:{' '}
            <span className="mono">npm run worker -- --keystore FILE</span>.
          </Text>
        ) : (
          <WhyNow worker={worker} />
        )}
      </div>
    </section>
  )
}

/** How pools judge a worker is its operator's to know. */
function WhyNow({ worker }: Pick<Props, 'worker'>) {
  const { data: session } = useQuery(sessionQuery)
  if (session?.wallet === worker.payee || session?.wallet === worker.signer) {
    return (
      <Box mt="md">
        <Standing worker={worker.signer} />
      </Box>
    )
  }
  return (
    <>
      <Text mt="xs">
        Sign in with the wallet that it is paid to, or with its own key, and its pool says here why
        it has none right now. So does, on the worker’s machine,{' '}
        <span className="mono">npm run worker -- status</span>. Most often:
      </Text>
      <ul>
        {REASONS.map(([reason, todo]) => (
          <li key={reason}>
            <strong>{reason}.</strong> {todo}
          </li>
        ))}
      </ul>
    </>
  )
}

const REASONS = [
  ['It is not connected', 'Look whether the agent runs and reaches its pool.'],
  [
    'Its inference server is down, or has no model to serve',
    'Start it; the agent joins by itself.',
  ],
  ['The registry does not list its model', 'Map the name with --models id=upstream-name.'],
  ['Its first, unpaid job failed', 'The agent’s log says what was wrong. It is tried again.'],
  ['Nobody asks for its models', 'Serve another one; the models page shows what is in demand.'],
  ['Others are faster', 'Jobs go first to the shortest time to the first token.'],
  ['It failed several jobs in a row', 'Pools rest such a worker for a while, longer each time.'],
] as const

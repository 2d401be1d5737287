import { Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Address } from 'viem'
import type { WebConfig } from '../../../api.ts'
import { sessionQuery } from '../../api/queries.ts'
import { type OwnWorker, readWorkersPaidTo, withEarnings } from '../../chain/own-workers.ts'
import { rcompute } from '../../chain/said.ts'
import { readRecord, readWorkerId } from '../../chain/workers.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { short, usdgOfUnits } from '../../parts/words.ts'
import { inShort } from './in-short.ts'
import { standingQuery } from './standing-query.ts'
import { WorkerRow } from './worker-row.tsx'

const LOOK_AGAIN_MS = 15_000

/** All workers of who is signed in, each with what it earned and does now. */
export function Own({ web }: { readonly web: WebConfig }) {
  const { data: session } = useQuery(sessionQuery)
  const own = useQuery({
    queryKey: ['chain', 'own-workers', session?.wallet],
    queryFn: () => readOwn(web, session!.wallet),
    enabled: Boolean(session),
  })
  if (!session) return null
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Yours
      </Title>
      <Loaded query={own} lines={2}>
        {(workers) =>
          workers.length === 0 ? (
            <Text className="muted">
              Your wallet {short(session.wallet)} is no worker, and none is paid to it. To run one:{' '}
              <span className="mono">npm run worker</span>, with{' '}
              <span className="mono">--payee {short(session.wallet)}</span> to be paid here.
            </Text>
          ) : (
            <>
              <Together workers={workers} />
              <ul className="rows card">
                {workers.map((worker) => (
                  <WorkerRow key={worker.id} worker={worker}>
                    <Now worker={worker} />
                  </WorkerRow>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </section>
  )
}

/** Run with the wallet's own key, or paid to it. */
async function readOwn(web: WebConfig, wallet: Address): Promise<readonly OwnWorker[]> {
  const [own, paid] = await Promise.all([readWorkerId(web, wallet), readWorkersPaidTo(web, wallet)])
  if (own === 0 || paid.some(({ id }) => id === own)) return paid
  return [...(await withEarnings(web, [await readRecord(web, own)])), ...paid]
}

function Together({ workers }: { readonly workers: readonly OwnWorker[] }) {
  const earned = workers.reduce((sum, { earnedUnits }) => sum + earnedUnits, 0n)
  const staked = workers.reduce((sum, { active }) => sum + active, 0n)
  return (
    <Text size="sm" className="muted numbers" mb="xs">
      {workers.length === 1 ? '1 worker' : `${workers.length.toLocaleString('en')} workers`}:{' '}
      {usdgOfUnits(earned)} earned and not paid out yet, {rcompute(staked)} at stake.
    </Text>
  )
}

function Now({ worker: { signer, hasLeft, earnedUnits } }: { readonly worker: OwnWorker }) {
  const { data, error } = useQuery({
    ...standingQuery(signer),
    enabled: !hasLeft,
    refetchInterval: LOOK_AGAIN_MS,
  })
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm">{data ? inShort(data) : error ? 'Nobody says what it does now' : ''}</Text>
      <Text size="sm" className="muted numbers">
        {usdgOfUnits(earnedUnits)} not paid out yet
      </Text>
    </Group>
  )
}

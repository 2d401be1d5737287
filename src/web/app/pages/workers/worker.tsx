import { Alert, Badge, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Address } from 'viem'
import type { WebConfig } from '../../../api.ts'
import { idOfOneThatLeft } from '../../chain/every-worker.ts'
import { rcompute } from '../../chain/said.ts'
import { readWorker, readWorkerId, type WorkerMoney } from '../../chain/workers.ts'
import { Back } from '../../parts/back.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Loaded, Waiting } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { AddressLink } from '../../parts/tx-link.tsx'
import { WithConfig } from '../../parts/with-config.tsx'
import { usdgOfUnits } from '../../parts/words.ts'
import { WhyNoJobs } from './why-no-jobs.tsx'

/** A wallet costs as much to load as half of the rest: whoever only looks does not wait for it. */
const Actions = lazy(async () => ({ default: (await import('./actions.tsx')).Actions }))

export function WorkerPage() {
  const { address = '' } = useParams({ strict: false })
  return (
    <Page title="Worker" key={address} lead={<span className="mono">{address}</span>}>
      <Back to="/workers" list="All workers" />
      {/^0x[0-9a-fA-F]{40}$/.test(address) ? (
        <WithConfig>
          {(web) => <Worker address={address.toLowerCase() as Address} web={web} />}
        </WithConfig>
      ) : (
        <Alert color="yellow" title="This is no address">
          An address is 0x and 40 hexadecimal digits. Copy it once more, as a whole.
        </Alert>
      )}
    </Page>
  )
}

const LOOK_AGAIN_MS = 10_000

/** Who has left comes back under no other number, so this is asked once. */
const leftQuery = (web: WebConfig, address: Address) =>
  queryOptions({
    queryKey: ['left-worker', address],
    queryFn: () => idOfOneThatLeft(web, address),
    staleTime: Number.POSITIVE_INFINITY,
  })

function Worker({ address, web }: { readonly address: Address; readonly web: WebConfig }) {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: ['chain', 'worker', address],
    queryFn: async () => {
      const id =
        (await readWorkerId(web, address)) || (await client.fetchQuery(leftQuery(web, address)))
      return id === 0 ? null : readWorker(web, id)
    },
    refetchInterval: LOOK_AGAIN_MS,
  })
  return (
    <Loaded query={query} lines={8}>
      {(worker) =>
        worker ? (
          <Stack gap="lg">
            <Known worker={worker} />
            <WhyNoJobs worker={worker} web={web} />
            <Suspense fallback={<Waiting lines={4} />}>
              <Actions worker={worker} />
            </Suspense>
          </Stack>
        ) : (
          <Alert color="gray" title="No worker has this key">
            A worker appears here once a pool has registered it: start{' '}
            <span className="mono">npm run worker</span> and look again. If this is the wallet that
            a worker pays to, look up the worker’s own address: the agent shows it with{' '}
            <span className="mono">npm run worker -- keys show</span>.
          </Alert>
        )
      }
    </Loaded>
  )
}

function Known({ worker }: { readonly worker: WorkerMoney }) {
  const held = worker.earnedUnits - worker.claimableUnits
  const isStaked = worker.active >= worker.minimumStake
  return (
    <Facts>
      <Fact name="Number">
        {worker.id}{' '}
        {worker.hasLeft ? (
          <Badge color="gray" variant="light">
            Has left: it settles no more jobs
          </Badge>
        ) : (
          <Badge color="accent" variant="light">
            Registered
          </Badge>
        )}
      </Fact>
      <Fact name="Can be claimed now">
        <strong className="numbers">{usdgOfUnits(worker.claimableUnits)}</strong>
      </Fact>
      <Fact name="Held">
        <span className="numbers">{usdgOfUnits(held)}</span>
        {held > 0n && (
          <Text size="sm" className="muted">
            Until nobody can contest its jobs any more. The next part is free{' '}
            <Countdown until={worker.nextFreeAt} done="with the next block" />, all of it{' '}
            <Countdown until={worker.heldUntil} done="with the next block" />.
          </Text>
        )}
      </Fact>
      <Fact name="Paid to">
        <AddressLink address={worker.payee} />
      </Fact>
      <Fact name="Stake">
        {rcompute(worker.active)}
        <Text size="sm" className="muted">
          {isStaked
            ? 'Enough for the higher share: 85 % of a job’s price.'
            : `Earns 75 % of a job’s price; 85 % from ${rcompute(worker.minimumStake)}.`}{' '}
          A fault costs {worker.slashPercent} % of it.
        </Text>
      </Fact>
      {worker.unbonding > 0n && (
        <Fact name="On its way out">
          {rcompute(worker.unbonding)}, can be withdrawn{' '}
          {worker.isUnstaked ? 'now' : <Countdown until={worker.unstakedAt} done="now" />}
          <Text size="sm" className="muted">
            It can still be lost to a fault until it is withdrawn.
          </Text>
        </Fact>
      )}
    </Facts>
  )
}

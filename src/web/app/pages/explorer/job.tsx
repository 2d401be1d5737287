import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { serviceNames } from '../../../../domain/service-names.ts'
import type { WebConfig } from '../../../api.ts'
import { isJobId, jobIdToHex } from '../../chain/job-id.ts'
import { readEventsBack } from '../../chain/logs.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { WithConfig } from '../../parts/with-config.tsx'
import { EventList } from './event-list.tsx'
import { AllOfIt } from './links.tsx'

export function JobOnChainPage() {
  const { id = '' } = useParams({ strict: false })
  return (
    <Page title="Job on the chain" key={id} lead={<span className="mono">{id}</span>}>
      <AllOfIt />
      <WithConfig>
        {(web) => (isJobId(id) ? <Job id={id} web={web} /> : <NoJobId web={web} />)}
      </WithConfig>
    </Page>
  )
}

function NoJobId({ web }: { readonly web: WebConfig }) {
  return (
    <Alert color="yellow" title="This is no job ID">
      A job ID is job_ and 26 letters and digits. It stands in the header{' '}
      {serviceNames(web.service_prefix).headers.jobId}.
    </Alert>
  )
}

const LOOK_AGAIN_MS = 3_000
/** More than one job ever has. */
const ALL = 20

function Job({ id, web }: { readonly id: string; readonly web: WebConfig }) {
  const { job_escrow, worker_staking } = web.contracts
  const jobId = jobIdToHex(id)
  const query = useQuery({
    queryKey: ['chain', 'job', id],
    queryFn: () =>
      readEventsBack(
        web,
        {
          address: [job_escrow, worker_staking],
          // The escrow names the job first, a slash names it last.
          topics: [
            [null, jobId],
            [null, null, null, jobId],
          ],
        },
        { enough: ALL, before: undefined },
      ),
    refetchInterval: LOOK_AGAIN_MS,
  })
  return (
    <Loaded query={query} lines={6}>
      {({ events }) =>
        events.length > 0 ? (
          <EventList events={events} web={web} placed />
        ) : (
          <Text role="status" className="muted">
            The chain has nothing of this job yet; this page looks again every three seconds. A job
            whose credits were never locked leaves nothing here.
          </Text>
        )
      }
    </Loaded>
  )
}

import { Alert, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { serviceNames } from '../../../../domain/service-names.ts'
import type { WebConfig } from '../../../api.ts'
import { againAfter } from '../../api/queries.ts'
import { isJobId, jobIdToHex } from '../../chain/job-id.ts'
import { type LogSearch, readEventsBack } from '../../chain/logs.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { More } from '../../parts/more.tsx'
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
  const query = useInfiniteQuery({
    queryKey: ['chain', 'job', id],
    // Its lock is the first that the chain hears of a job.
    queryFn: ({ pageParam: before }) =>
      readEventsBack(web, searchOf(id, web), { enough: ALL, first: 'JobLocked', before }),
    initialPageParam: undefined as bigint | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ events }) => events),
    refetchInterval: againAfter(LOOK_AGAIN_MS),
  })
  return (
    <>
      <Loaded query={query} lines={6}>
        {(events) =>
          events.length > 0 ? (
            <EventList events={events} web={web} placed />
          ) : (
            <Text role="status" className="muted">
              {query.hasNextPage
                ? 'The latest blocks have nothing of this job. An older one is further back; for one that has just begun, this page looks again by itself.'
                : 'The chain has nothing of this job yet; this page looks again every three seconds. A job whose credits were never locked leaves nothing here.'}
            </Text>
          )
        }
      </Loaded>
      <More query={query}>Look further back</More>
    </>
  )
}

function searchOf(id: string, { contracts }: WebConfig): LogSearch {
  const jobId = jobIdToHex(id)
  return {
    address: [contracts.job_escrow, contracts.worker_staking],
    // The escrow names the job first, a slash names it last.
    topics: [
      [null, jobId],
      [null, null, null, jobId],
    ],
  }
}

import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { JobsPage as Jobs } from '../../../api.ts'
import { jobsQuery, modelsQuery } from '../../api/network-queries.ts'
import { isPriced } from '../../parts/is-priced.ts'
import { JOB_STATUSES, JobBadge } from '../../parts/job-status.tsx'
import { Loaded, Waiting } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { credits, dateTime, usdg } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { type JobsSearch, pagesAround, searchOf, toParams } from './jobs-search.ts'

export function JobsPage() {
  return <Private title="Jobs">{() => <JobList />}</Private>
}

function JobList() {
  const search = searchOf(useSearch({ strict: false }))
  const navigate = useNavigate()
  const go = (next: JobsSearch) => void navigate({ to: '/jobs', search: next })
  const query = useQuery(jobsQuery(toParams(search)))
  const isOld = query.isPlaceholderData
  return (
    <Page
      title="Jobs"
      lead="Every request is a job, with its lock and its payment on chain. Newest first."
    >
      <Filters search={search} go={go} />
      <Loaded query={query} lines={6}>
        {(page) => (
          // Until another page, or what fits another filter, is there.
          <Stack aria-busy={isOld} style={{ opacity: isOld ? 0.5 : 1 }}>
            <Rows
              page={page}
              isOld={isOld}
              filtered={search.status !== undefined || search.model !== undefined}
              clear={() => go({})}
            />
            <Paging page={page} search={search} go={go} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

interface Going {
  readonly search: JobsSearch
  readonly go: (next: JobsSearch) => void
}

/** Another filter begins at the newest again. */
function Filters({ search: { status, model }, go }: Going) {
  const { data: models = [] } = useQuery(modelsQuery)
  const ids = new Set([...models.map(({ id }) => id), ...(model ? [model] : [])])
  return (
    <Group align="end">
      <Select
        label="Status"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={[...JOB_STATUSES]}
        value={status ?? null}
        onChange={(next) => go({ status: next ?? undefined, model })}
        w={160}
      />
      <Select
        label="Model"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Any model' }}
        data={[...ids]}
        value={model ?? null}
        onChange={(next) => go({ status, model: next ?? undefined })}
        w={260}
      />
    </Group>
  )
}

interface RowsProps {
  readonly page: Jobs
  /** It is of what was asked before. */
  readonly isOld: boolean
  readonly filtered: boolean
  /** Takes the filters away. */
  readonly clear: () => void
}

function Rows({ page, isOld, filtered, clear }: RowsProps) {
  if (page.data.length === 0) {
    if (isOld) return <Waiting lines={6} />
    return filtered ? (
      <Group>
        <Text className="muted">No job fits these filters.</Text>
        <Button variant="default" size="xs" onClick={clear}>
          Show all jobs
        </Button>
      </Group>
    ) : (
      <NoJobs />
    )
  }
  return (
    <ul className="rows card">
      {page.data.map((job) => (
        <li key={job.id} className="job-row">
          <div>
            <Group gap="xs">
              <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                {job.model}
              </Text>
              <JobBadge status={job.status} />
            </Group>
            <Anchor
              component={Link}
              to="/jobs/$id"
              params={{ id: job.id } as never}
              className="mono"
            >
              {job.id}
            </Anchor>
            <Text size="sm" className="muted">
              {dateTime(job.created_at)}
            </Text>
          </div>
          <div className="job-row-price">
            <Text fw={600} className="numbers">
              {isPriced(job) ? credits(job.credits_charged) : 'Not charged yet'}
            </Text>
            <Text size="sm" className="muted numbers">
              {isPriced(job) && usdg(job.usdg_value)}
              {isPriced(job) && job.usage && ' · '}
              {job.usage && `${job.usage.completion_tokens.toLocaleString('en')} tokens`}
            </Text>
          </div>
        </li>
      ))}
    </ul>
  )
}

const NoJobs = () => (
  <>
    <Text className="muted">
      No jobs yet. Send a request with your API key, or try the playground.
    </Text>
    <Group>
      <Button component={Link} to="/playground">
        Open the playground
      </Button>
      <Button component={Link} to="/key" variant="default">
        Go to the API key
      </Button>
    </Group>
  </>
)

function Paging({ page, search, go }: Going & { readonly page: Jobs }) {
  const { newest, newer, older } = pagesAround(search, page)
  if (!newest && !newer && !older) return null
  return (
    <Group component="nav" aria-label="Pages of jobs">
      <Button variant="default" disabled={!newest} onClick={() => newest && go(newest)}>
        Newest
      </Button>
      <Button variant="default" disabled={!newer} onClick={() => newer && go(newer)}>
        Newer
      </Button>
      <Button variant="default" disabled={!older} onClick={() => older && go(older)}>
        Older
      </Button>
    </Group>
  )
}

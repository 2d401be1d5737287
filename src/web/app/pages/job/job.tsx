import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { JobLife, WebSession } from '../../../api.ts'
import { jobQuery } from '../../api/network-queries.ts'
import { Back } from '../../parts/back.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { JobBadge, meaningOf } from '../../parts/job-status.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Private } from '../../session/private.tsx'
import { answerOf } from '../../session/tab-memory.ts'
import { useUnfinishedText } from '../../session/unfinished.ts'
import { AnswerText } from './answer-text.tsx'
import { Dispute } from './dispute.tsx'
import { JobFacts } from './job-facts.tsx'
import { Timeline } from './timeline.tsx'
import { Verify } from './verify.tsx'

export function JobPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string }
  return <Private title="Job">{(session) => <Job key={id} id={id} session={session} />}</Private>
}

function Job({ id, session }: { readonly id: string; readonly session: WebSession }) {
  const query = useQuery(jobQuery(id))
  return (
    <Page title="Job">
      <Back to="/jobs" list="All jobs" />
      <Group gap="xs">
        <span className="mono">{id}</span>
        <CopyButton text={id} what="job ID" />
      </Group>
      <Loaded query={query} lines={6}>
        {(life) => <Life life={life} readAt={query.dataUpdatedAt} session={session} />}
      </Loaded>
    </Page>
  )
}

interface LifeProps {
  readonly life: JobLife
  /** When it was, by this device, in milliseconds. */
  readonly readAt: number
  readonly session: WebSession
}

function Life({ life, readAt, session }: LifeProps) {
  const { job } = life
  // Of an answer in the playground of this tab, the very text is known.
  const known = answerOf(job.id) ?? ''
  const { text, type: setText } = useUnfinishedText(`text of ${job.id}`, known)
  return (
    <>
      <Group gap="sm">
        <JobBadge status={job.status} />
        <Text>{meaningOf(job.status)}</Text>
      </Group>
      <JobFacts job={job} />
      <Timeline life={life} />
      <section className="card">
        <Title order={2} size="h4" mb={4}>
          Verify
        </Title>
        <Stack>
          <Text className="muted" maw={680}>
            Checked here in your browser against the chain: the lock, the worker’s signature, the
            price, and whether your text is the one that was signed. It costs nothing and changes
            nothing.
          </Text>
          <AnswerText text={text} change={setText} />
          <Verify job={job} text={text} wallet={session.wallet} />
        </Stack>
      </section>
      <Dispute life={life} readAt={readAt} text={text} />
    </>
  )
}

import { Text, Title } from '@mantine/core'
import type { JobLife, JobMoment, JobMomentName } from '../../../api.ts'
import { TxLink } from '../../parts/tx-link.tsx'
import { precise } from '../../parts/words.ts'
import { insteadOfTime } from './not-there.ts'

const SAID: Readonly<Record<JobMomentName, string>> = {
  created: 'Request taken in',
  locked: 'Credits locked in escrow',
  answered: 'Answer complete, signed by the worker',
  settled: 'Settled: the worker is paid, the rest of the lock is back',
  disputed: 'Disputed: the credits are held',
  dispute_upheld: 'Dispute upheld: the credits are back',
  dispute_rejected: 'Dispute rejected: the worker keeps its share',
  failed: 'Failed: nothing is charged',
  refunded: 'All credits returned',
}

/** The life of a job, oldest first. */
export function Timeline({ life: { timeline } }: { readonly life: JobLife }) {
  return (
    <section className="card">
      <Title order={2} size="h4" mb="sm">
        Timeline
      </Title>
      <ol className="timeline">
        {timeline.map((moment) => (
          <Moment key={moment.event} moment={moment} />
        ))}
      </ol>
    </section>
  )
}

function Moment({ moment: { event, at, tx, block_number } }: { readonly moment: JobMoment }) {
  return (
    <li>
      <Text fw={600}>{SAID[event]}</Text>
      <Text size="sm" className="muted numbers">
        {at ? <time dateTime={at}>{precise(at)}</time> : insteadOfTime(event)}
        {tx && (
          <>
            {' · '}
            <TxLink hash={tx} />
          </>
        )}
        {block_number !== null && ` · block ${block_number.toLocaleString('en')}`}
      </Text>
    </li>
  )
}

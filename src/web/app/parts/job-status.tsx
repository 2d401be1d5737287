import { Badge } from '@mantine/core'
import type { JobLife } from '../../api.ts'

export type JobStatus = JobLife['job']['status']

const SHOWN: Readonly<Record<JobStatus, { readonly color: string; readonly means: string }>> = {
  pending: { color: 'gray', means: 'Credits are locked while a worker is found.' },
  processing: { color: 'blue', means: 'A worker is answering.' },
  settling: { color: 'yellow', means: 'Answered; the chain is confirming the payment.' },
  settled: { color: 'accent', means: 'Done: the worker is paid, the rest of the lock is back.' },
  failed: { color: 'red', means: 'It broke before the end. Nothing was charged.' },
  refunded: { color: 'gray', means: 'All its credits came back.' },
  disputed: { color: 'orange', means: 'Contested; the credits are held until it is decided.' },
}

export const JOB_STATUSES = Object.keys(SHOWN) as readonly JobStatus[]
export const meaningOf = (status: JobStatus): string => SHOWN[status].means

export function JobBadge({ status }: { readonly status: JobStatus }) {
  return (
    <Badge color={SHOWN[status].color} variant="light" title={SHOWN[status].means}>
      {status}
    </Badge>
  )
}

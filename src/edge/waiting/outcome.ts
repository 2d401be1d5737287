import type { Refusal } from '../../domain/errors.ts'
import type { EdgeEnding } from '../../messages/job-reply.ts'
import type { JobFacts } from '../http/service-headers.ts'

export type Completed = Extract<EdgeEnding, { type: 'completed' }>
export type Failed = Extract<EdgeEnding, { type: 'failed' }>
/** What is known of a job that brings no answer. */
export type Known = Omit<JobFacts, 'jobId'>

/** How it ends for those who wait for a job. */
export type Outcome =
  | { readonly type: 'completed'; readonly ending: Completed; readonly text: string }
  | { readonly type: 'failed'; readonly refusal: Refusal; readonly job: Known }

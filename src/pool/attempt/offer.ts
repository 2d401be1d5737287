import {
  Message_Role,
  type Offer,
  type Sampling as SamplingMessage,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { ChatMessage, ChatRequest, Sampling } from '../../domain/chat.ts'
import type { OfferJob } from '../../messages/pool.ts'

/** What of a job concerns the worker that runs it. */
export type OfferedJob = Pick<
  OfferJob,
  'jobId' | 'wallet' | 'model' | 'outputTokensMax' | 'deadlineAt' | 'trace'
> & {
  /** Nobody pays for it: it shows what the worker can do. */
  readonly isCanary?: boolean
}

const ROLES: Record<ChatMessage['role'], Message_Role> = {
  system: Message_Role.ROLE_SYSTEM,
  user: Message_Role.ROLE_USER,
  assistant: Message_Role.ROLE_ASSISTANT,
}

/** A job's offer and its prompt, as the worker protocol says them. */
export const toOffer = (job: OfferedJob, prompt: ChatRequest): Offer => ({
  jobId: job.jobId,
  model: job.model,
  messages: prompt.messages.map(({ role, content }) => ({ role: ROLES[role], content })),
  sampling: toSampling(prompt.sampling),
  maxOutputTokens: job.outputTokensMax,
  deadlineAt: job.deadlineAt,
  canary: job.isCanary ?? false,
  ...(job.trace ? { traceparent: job.trace } : {}),
})

const toSampling = (sampling: Sampling): SamplingMessage => ({
  temperature: sampling.temperature,
  topP: sampling.top_p,
  stop: [...(sampling.stop ?? [])],
  frequencyPenalty: sampling.frequency_penalty,
  presencePenalty: sampling.presence_penalty,
  seed: sampling.seed,
})

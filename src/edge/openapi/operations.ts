import { Type } from '@sinclair/typebox'
import { jobListQuery } from '../../api/jobs/job-query.ts'
import { disputeSchema } from '../../api/schemas/dispute.ts'
import { jobId, modelId } from '../../api/schemas/forms.ts'
import { jobListSchema, jobSchema } from '../../api/schemas/job.ts'
import {
  deletedWebhookSchema,
  webhookId,
  webhookListSchema,
  webhookSchema,
} from '../../api/schemas/webhook.ts'
import { eventsHeaders, eventsQuery } from '../events/event-query.ts'
import { accountSchema } from '../schemas/account.ts'
import { chunkSchema, completionSchema } from '../schemas/chat-completion.ts'
import { eventSchema } from '../schemas/event.ts'
import { modelListSchema, modelSchema } from '../schemas/model.ts'
import type { Operation } from './operation.ts'
import { type HeaderName, JOB_HEADERS } from './response-headers.ts'
import { WRITTEN } from './written-names.ts'

const JSON_TYPE = 'application/json'
const BALANCE: readonly HeaderName[] = [WRITTEN.headers.creditsRemaining]

export const createChatCompletion: Operation = {
  id: 'createChatCompletion',
  tag: 'Chat',
  summary: 'Send a conversation to a model',
  description:
    'Creates a job: credits are locked in escrow, a worker answers, and settlement on chain pays it and returns what was not used. With `stream` the answer comes as Server-Sent Events, one chunk each, ended by `data: [DONE]`; a failure after the first token comes as an event with an `error` object, and then no `[DONE]`.',
  needsKey: true,
  headers: {
    'Idempotency-Key': Type.String({
      pattern: '^[!-~]{1,255}$',
      description:
        'Your name for this request. The same key with the same body within the job window joins the job that is already there and is not charged again.',
      examples: ['order-1734-summary'],
    }),
  },
  answer: {
    description:
      'The answer. Plain: one object. With `stream`: events of `data: <chunk>`; the schema is that of one chunk.',
    headers: [...JOB_HEADERS, ...BALANCE, WRITTEN.headers.traceId],
    content: { [JSON_TYPE]: completionSchema, 'text/event-stream': chunkSchema },
  },
  errors: [
    'model_not_found',
    'context_length_exceeded',
    'insufficient_credits',
    'answer_gone',
    'request_too_large',
    'no_workers_available',
    'job_timeout',
  ],
  concernsJob: true,
}

export const listModels: Operation = {
  id: 'listModels',
  tag: 'Models',
  summary: 'List the models that are served now',
  description:
    'A model is listed only while at least one worker hosts it: it comes and goes within a second of the first and the last of them, and within eight where a worker falls silent without closing its connection.',
  needsKey: true,
  answer: {
    description: 'All of them.',
    headers: BALANCE,
    content: { [JSON_TYPE]: modelListSchema },
  },
  errors: [],
}

export const retrieveModel: Operation = {
  id: 'retrieveModel',
  tag: 'Models',
  summary: 'One model',
  description:
    'The ID as it is or percent-encoded: `/models/Qwen/Qwen3-8B` and `/models/Qwen%2FQwen3-8B` are the same.',
  needsKey: true,
  path: { model_id: modelId('A model ID.') },
  answer: {
    description: 'The model, as in the list.',
    headers: BALANCE,
    content: { [JSON_TYPE]: modelSchema },
  },
  errors: ['model_not_found'],
  statuses: { model_not_found: 404 },
}

export const retrieveJob: Operation = {
  id: 'retrieveJob',
  tag: 'Jobs',
  summary: 'One job',
  description: 'Its state, its charge and its transactions.',
  needsKey: true,
  path: { job_id: jobId('A job of your wallet.') },
  answer: {
    description: 'The job.',
    headers: [...JOB_HEADERS, ...BALANCE],
    content: { [JSON_TYPE]: jobSchema },
  },
  errors: ['job_not_found'],
}

export const listJobs: Operation = {
  id: 'listJobs',
  tag: 'Jobs',
  summary: 'List the jobs of your wallet',
  description: 'Newest first, always.',
  needsKey: true,
  query: jobListQuery,
  answer: {
    description: 'One page.',
    headers: BALANCE,
    content: { [JSON_TYPE]: jobListSchema },
  },
  errors: [],
}

export const disputeJob: Operation = {
  id: 'disputeJob',
  tag: 'Jobs',
  summary: "Contest a worker's proof",
  description:
    'Compares the hash of what you received with the hash that the worker put on chain. Where they differ a dispute is opened on chain; where they agree nothing changes. Possible within 60 seconds of the final output token.',
  needsKey: true,
  path: { job_id: jobId('A job of your wallet.') },
  answer: {
    description: 'What came of it.',
    headers: [...JOB_HEADERS, ...BALANCE],
    content: { [JSON_TYPE]: disputeSchema },
  },
  errors: [
    'job_not_found',
    'job_not_completed',
    'dispute_already_open',
    'request_too_large',
    'dispute_window_expired',
  ],
  concernsJob: true,
}

export const retrieveAccount: Operation = {
  id: 'retrieveAccount',
  tag: 'Account',
  summary: 'The wallet of the key, and its balance',
  description: 'Credits are bought in the web app; the API has no endpoint for that.',
  needsKey: true,
  answer: {
    description: 'The account.',
    headers: BALANCE,
    content: { [JSON_TYPE]: accountSchema },
  },
  errors: [],
}

export const createWebhook: Operation = {
  id: 'createWebhook',
  tag: 'Webhooks',
  summary: 'Make a webhook',
  description:
    'Events are delivered to it from now on, each as an HTTPS POST signed with the secret. A wallet may have 20 webhooks.',
  needsKey: true,
  headers: {
    'Idempotency-Key': Type.String({
      pattern: '^[!-~]{1,255}$',
      description:
        'Your name for this request. Sent again it makes no second webhook and is answered with the first; with another body it is refused.',
      examples: ['production-hook'],
    }),
  },
  answer: {
    status: 201,
    description: 'The webhook, without its secret.',
    headers: BALANCE,
    content: { [JSON_TYPE]: webhookSchema },
  },
  errors: ['request_too_large', 'webhook_limit_reached', 'invalid_webhook_url'],
}

export const listWebhooks: Operation = {
  id: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'List the webhooks of your wallet',
  description: 'Newest first, all of them.',
  needsKey: true,
  answer: {
    description: 'All of them.',
    headers: BALANCE,
    content: { [JSON_TYPE]: webhookListSchema },
  },
  errors: [],
}

export const deleteWebhook: Operation = {
  id: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description: 'Nothing is delivered to it any more, what was to be tried again included.',
  needsKey: true,
  path: { webhook_id: webhookId('A webhook of your wallet.') },
  answer: {
    description: 'It is gone.',
    headers: BALANCE,
    content: { [JSON_TYPE]: deletedWebhookSchema },
  },
  errors: ['webhook_not_found'],
}

export const listenToEvents: Operation = {
  id: 'listenToEvents',
  tag: 'Webhooks',
  summary: 'The events of your wallet as they happen',
  description:
    'For development, beyond the specification: what `npm run listen` stands on. Server-Sent Events that do not end; `data` of each is to the byte what a webhook is sent, `id` is the place to go on from, and a comment comes after 10 s of silence. After an `error` event, as when the key is revoked, the stream ends.',
  needsKey: true,
  query: eventsQuery,
  headers: eventsHeaders,
  answer: {
    description: 'The stream; the schema is that of the `data` of one event.',
    headers: BALANCE,
    content: { 'text/event-stream': eventSchema },
  },
  errors: [],
}

export const retrieveOpenApi: Operation = {
  id: 'retrieveOpenApi',
  tag: 'Service',
  summary: 'This document',
  description: 'OpenAPI 3.1, generated from the schemas that validate requests.',
  needsKey: false,
  answer: {
    description: 'The document.',
    headers: [],
    content: { [JSON_TYPE]: Type.Object({}, { additionalProperties: true }) },
  },
  errors: [],
}

const health = (id: string, status: string, summary: string, description: string): Operation => ({
  id,
  tag: 'Service',
  summary,
  description,
  needsKey: false,
  answer: {
    description: 'It does.',
    headers: [],
    content: { [JSON_TYPE]: Type.Object({ status: Type.Literal(status) }) },
  },
  errors: [],
})
export const checkHealth = health(
  'checkHealth',
  'ok',
  'Whether the process runs',
  'For orchestrators: restart the process when this does not answer.',
)
export const checkReadiness = health(
  'checkReadiness',
  'ready',
  'Whether this host can serve',
  'For load balancers: 503 while a part of the service that a request needs is not reachable from this host.',
)

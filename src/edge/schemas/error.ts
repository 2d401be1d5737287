import { Type } from '@sinclair/typebox'
import { count, jobId, modelId, nullable, oneOf, tier, txHash } from '../../api/schemas/forms.ts'
import { ERRORS, type ErrorCode, type ErrorType } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'

/** `error.details`, of the codes that carry it. */
export const ERROR_DETAILS = {
  insufficient_credits: Type.Object(
    {
      credits_remaining: count('What the wallet can spend.'),
      credits_required: count('What the request needs.'),
      tier: tier("The model's tier."),
    },
    { title: 'InsufficientCreditsDetails' },
  ),
  webhook_limit_reached: Type.Object(
    { webhooks_max: count('How many webhooks a wallet may have.') },
    { title: 'WebhookLimitReachedDetails' },
  ),
  answer_gone: Type.Object(
    {
      job_id: jobId('The job that answered.'),
      credits_charged: count('What it was charged.'),
    },
    { title: 'AnswerGoneDetails' },
  ),
  rate_limited: Type.Object(
    {
      retry_after: Type.Integer({
        minimum: 1,
        maximum: LIMITS.retryAfterSecondsMax,
        description: 'Seconds to wait.',
      }),
    },
    { title: 'RateLimitedDetails' },
  ),
  no_workers_available: Type.Object(
    {
      model: modelId('The model that was asked for.'),
      retry_after: Type.Integer({ minimum: 1, maximum: 60, description: 'Seconds to wait.' }),
    },
    { title: 'NoWorkersAvailableDetails' },
  ),
  job_timeout: Type.Object(
    {
      job_id: jobId('The job.'),
      credits_refunded: count('Credits that return to the balance.'),
      refund_tx: Type.Optional(
        txHash('Transaction of the refund; absent where it has not been sent yet.'),
      ),
    },
    { title: 'JobTimeoutDetails' },
  ),
} as const satisfies Partial<Record<ErrorCode, unknown>>

const CODES = Object.keys(ERRORS) as ErrorCode[]
const TYPES = [...new Set(CODES.map((code) => ERRORS[code].type))] satisfies ErrorType[]

export const errorSchema = Type.Object(
  {
    error: Type.Object({
      code: oneOf(CODES, 'Stable: branch on this.'),
      message: Type.String({ description: 'For people: what was wrong, where, and what to do.' }),
      type: oneOf(TYPES, 'Category.'),
      param: nullable(Type.String({ description: 'Request parameter that caused it, or null.' })),
      docs: Type.String({ format: 'uri', description: 'Where this code is explained.' }),
      details: Type.Optional(
        Type.Union(Object.values(ERROR_DETAILS), { description: 'On the codes that have some.' }),
      ),
    }),
  },
  { title: 'Error', description: 'The body of every failed request.' },
)

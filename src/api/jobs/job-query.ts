import { Type } from '@sinclair/typebox'
import type { Refusal } from '../../domain/errors.ts'
import { type JobId, parseJobId } from '../../domain/ids.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { JobStatus } from '../../messages/job-view.ts'
import type { JobQuery } from '../../ports/job-views.ts'
import { jobId, modelId } from '../schemas/forms.ts'
import { JOB_STATUSES, jobStatus } from '../schemas/job.ts'

const LIMIT_DEFAULT = 20
const LIMIT_MOST = 100

/** The query of GET /v1/jobs (specification), for the documentation. */
export const jobListQuery = {
  limit: Type.Integer({
    minimum: 1,
    maximum: LIMIT_MOST,
    default: LIMIT_DEFAULT,
    description: 'How many jobs at most.',
  }),
  before: jobId('Only jobs created before this job of yours. Pages towards older jobs.'),
  after: jobId(
    'Only jobs created after this job of yours. Alone: those just newer than it; with `before`: those between the two.',
  ),
  status: jobStatus,
  model: modelId('Only jobs of this model.'),
}

/** What a caller asks of its list; the wallet is known from its key. */
export type JobListQuery = Omit<JobQuery, 'wallet'>

/** From a query string to what it asks for. What is unknown to us passes; what is wrong is refused. */
export function parseJobListQuery(
  query: Readonly<Record<string, string | string[] | undefined>>,
): Result<JobListQuery, Refusal> {
  const single = new Map<string, string>()
  for (const name of Object.keys(jobListQuery)) {
    const value = query[name]
    if (Array.isArray(value)) return invalid(name, `\`${name}\` was given more than once.`)
    if (value !== undefined) single.set(name, value)
  }
  const limit = parseLimit(single.get('limit'))
  if (!limit.ok) return limit
  const before = parseCursor('before', single.get('before'))
  if (!before.ok) return before
  const after = parseCursor('after', single.get('after'))
  if (!after.ok) return after
  const status = parseStatus(single.get('status'))
  if (!status.ok) return status
  const model = single.get('model')
  if (model === '') return err(unknownModel(model))
  return ok({
    limit: limit.value,
    before: before.value,
    after: after.value,
    status: status.value,
    model,
  })
}

const refusal = (param: string, message: string): Refusal => ({
  code: 'invalid_request',
  message,
  param,
})
const invalid = (param: string, message: string) => err(refusal(param, message))
const shown = (text: string) => text.slice(0, 64)

export const unknownCursor = (param: 'before' | 'after', id: string): Refusal =>
  refusal(param, `\`${param}\` must be the id of a job of this wallet, not \`${shown(id)}\`.`)

export const unknownModel = (id: string): Refusal =>
  refusal(
    'model',
    `There is no model \`${shown(id)}\`. GET /v1/models lists those that are served.`,
  )

function parseLimit(text: string | undefined): Result<number, Refusal> {
  if (text === undefined) return ok(LIMIT_DEFAULT)
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= LIMIT_MOST
    ? ok(limit)
    : invalid('limit', `\`limit\` must be a whole number from 1 to ${LIMIT_MOST}.`)
}

function parseCursor(
  param: 'before' | 'after',
  text: string | undefined,
): Result<JobId | undefined, Refusal> {
  if (text === undefined) return ok(undefined)
  const id = parseJobId(text)
  return id.ok ? id : err(unknownCursor(param, text))
}

function parseStatus(text: string | undefined): Result<JobStatus | undefined, Refusal> {
  if (text === undefined) return ok(undefined)
  const status = JOB_STATUSES.find((each) => each === text)
  return status
    ? ok(status)
    : invalid('status', `\`status\` must be one of ${JOB_STATUSES.join(', ')}.`)
}

import type { FastifyInstance } from 'fastify'
import { RefusalError } from '../../api/http/errors.ts'
import type { JobHistory } from '../../api/jobs/job-history.ts'
import { parseJobListQuery } from '../../api/jobs/job-query.ts'
import { publicJobList } from '../../api/jobs/public-job-list.ts'
import { unknownJob } from '../../api/jobs/unknown-job.ts'
import { type Address, parseJobId } from '../../domain/ids.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import { publicJob } from '../../messages/public-job.ts'
import { callerOf } from '../callers/caller.ts'
import { jobHeaders } from '../http/service-headers.ts'
import { listJobs, retrieveJob } from '../openapi/operations.ts'

interface Options {
  readonly history: JobHistory
  readonly escrowAddress: Address
  readonly names: ServiceNames
}

export function jobs(server: FastifyInstance, { history, escrowAddress, names }: Options): void {
  server.get<{ Querystring: Record<string, string | string[] | undefined> }>(
    '/v1/jobs',
    { config: { operation: listJobs } },
    async (request) => {
      const query = parseJobListQuery(request.query)
      if (!query.ok) throw new RefusalError(query.error)
      const page = await history.list({ ...query.value, wallet: callerOf(request).wallet })
      return publicJobList(query.value, page, escrowAddress)
    },
  )

  server.get<{ Params: { id: string } }>(
    '/v1/jobs/:id',
    { config: { operation: retrieveJob } },
    async (request, reply) => {
      const jobId = parseJobId(request.params.id)
      if (!jobId.ok) throw unknownJob(request.params.id)
      const view = await history.read(callerOf(request).wallet, jobId.value)
      if (!view) throw unknownJob(jobId.value)
      reply.headers(jobHeaders(names.headers, { ...view, jobId: view.id }))
      return publicJob(view, escrowAddress)
    },
  )
}

import type { FastifyInstance } from 'fastify'
import { type Address, parseJobId } from '../../domain/ids.ts'
import { callerOf } from '../caller.ts'
import { refuse } from '../errors.ts'
import type { Jobs } from '../jobs.ts'
import { publicJob } from '../public-job.ts'
import { jobHeaders } from '../service-headers.ts'

interface Options {
  readonly jobs: Jobs
  readonly escrowAddress: Address
}

export function jobs(server: FastifyInstance, options: Options): void {
  server.get<{ Params: { id: string } }>('/v1/jobs/:id', async (request, reply) => {
    const jobId = parseJobId(request.params.id)
    if (!jobId.ok) throw unknownJob(request.params.id)
    const answer = await options.jobs.get(jobId.value)
    if (answer === undefined) {
      throw refuse('service_unavailable', 'The job cannot be read at the moment; try again.')
    }
    // Another wallet's job gets the same answer as one that never was.
    if (answer.type !== 'accepted' || answer.view.wallet !== callerOf(request).wallet) {
      throw unknownJob(jobId.value)
    }
    const { view } = answer
    reply.headers(jobHeaders({ ...view, jobId: view.id }))
    return publicJob(view, options.escrowAddress)
  })
}

const unknownJob = (id: string) =>
  refuse('job_not_found', `There is no job \`${id.slice(0, 64)}\` of this wallet.`)

import type { FastifyInstance } from 'fastify'
import { RefusalError } from '../../api/http/errors.ts'
import {
  blameTheHash,
  disputeAnswer,
  malformedHash,
  unknownOutcome,
  whyNotDisputed,
} from '../../api/jobs/dispute-answer.ts'
import type { JobHistory } from '../../api/jobs/job-history.ts'
import type { Jobs } from '../../api/jobs/jobs.ts'
import { openDispute } from '../../api/jobs/open-dispute.ts'
import { unknownJob } from '../../api/jobs/unknown-job.ts'
import { type DisputeBody, disputeBody } from '../../api/schemas/dispute.ts'
import { parsePublicHash } from '../../domain/hash.ts'
import { parseJobId } from '../../domain/ids.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import type { Clock } from '../../ports/clock.ts'
import { callerOf } from '../callers/caller.ts'
import { jobHeaders } from '../http/service-headers.ts'
import { disputeJob } from '../openapi/operations.ts'

interface Options {
  readonly jobs: Jobs
  readonly history: JobHistory
  readonly clock: Clock
  readonly names: ServiceNames
}

export function dispute(server: FastifyInstance, options: Options): void {
  server.post<{ Params: { id: string }; Body: DisputeBody }>(
    '/v1/jobs/:id/dispute',
    {
      schema: { body: disputeBody },
      config: { operation: disputeJob },
      errorHandler: blameTheHash,
    },
    async (request, reply) => {
      const receivedHash = parsePublicHash(request.body.received_output_hash)
      if (!receivedHash) throw malformedHash()
      const jobId = parseJobId(request.params.id)
      if (!jobId.ok) throw unknownJob(request.params.id)
      const outcome = await openDispute(options, {
        type: 'DisputeJob',
        jobId: jobId.value,
        wallet: callerOf(request).wallet,
        requestId: Buffer.from(options.clock.randomBytes(16)).toString('hex'),
        receivedHash,
        at: options.clock.now(),
      })
      if (outcome.type === 'unknown') throw unknownOutcome()
      const { view } = outcome
      if (!view) throw unknownJob(jobId.value)
      const headers = jobHeaders(options.names.headers, { ...view, jobId: view.id })
      if (outcome.type === 'refused') {
        const { code } = outcome
        throw new RefusalError({ code, message: whyNotDisputed(code, view) }, { headers })
      }
      reply.headers(headers)
      return disputeAnswer(view, receivedHash, outcome.type === 'opened')
    },
  )
}

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
import { parseJobListQuery } from '../../api/jobs/job-query.ts'
import type { Jobs } from '../../api/jobs/jobs.ts'
import { openDispute } from '../../api/jobs/open-dispute.ts'
import { publicJobList } from '../../api/jobs/public-job-list.ts'
import { unknownJob } from '../../api/jobs/unknown-job.ts'
import { type DisputeBody, disputeBody } from '../../api/schemas/dispute.ts'
import { parsePublicHash } from '../../domain/hash.ts'
import { type Address, type JobId, parseJobId } from '../../domain/ids.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NetworkReader } from '../../ports/network-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import type { JobLife, JobsPage, WebDispute } from '../api.ts'
import type { Query } from '../http/limit.ts'
import { readJobLife } from '../jobs/job-life.ts'
import { sessionOf } from '../sessions/signed-in.ts'

interface Options {
  readonly jobs: Jobs
  readonly history: JobHistory
  readonly networkReader: Pick<NetworkReader, 'inclusion' | 'disputeEnd'>
  readonly escrowAddress: Address
  readonly disputeWindowMs: DurationMs
  readonly clock: Clock
  readonly log: Log
}

interface OfOne {
  readonly Params: { readonly id: string }
}

export function jobs(server: FastifyInstance, options: Options): void {
  const { history, escrowAddress, clock, networkReader: reader } = options
  server.get<{ Querystring: Query }>('/api/jobs', async (request): Promise<JobsPage> => {
    const query = parseJobListQuery(request.query)
    if (!query.ok) throw new RefusalError(query.error)
    const page = await history.list({ ...query.value, wallet: sessionOf(request).wallet })
    return publicJobList(query.value, page, escrowAddress)
  })

  server.get<OfOne>('/api/jobs/:id', async (request): Promise<JobLife> => {
    const jobId = jobIdOf(request.params.id)
    const view = await history.read(sessionOf(request).wallet, jobId)
    if (!view) throw unknownJob(jobId)
    return readJobLife({ ...options, reader }, view, clock.now())
  })

  server.post<OfOne & { Body: DisputeBody }>(
    '/api/jobs/:id/dispute',
    { schema: { body: disputeBody }, errorHandler: blameTheHash },
    async (request): Promise<WebDispute> => {
      const receivedHash = parsePublicHash(request.body.received_output_hash)
      if (!receivedHash) throw malformedHash()
      const jobId = jobIdOf(request.params.id)
      const { wallet } = sessionOf(request)
      const requestId = Buffer.from(clock.randomBytes(16)).toString('hex')
      const command = { type: 'DisputeJob', jobId, wallet, requestId, receivedHash } as const
      const outcome = await openDispute(options, { ...command, at: clock.now() })
      if (outcome.type === 'unknown') throw unknownOutcome()
      const { view } = outcome
      if (!view) throw unknownJob(jobId)
      if (outcome.type === 'refused') {
        const { code } = outcome
        throw new RefusalError({ code, message: whyNotDisputed(code, view) })
      }
      return disputeAnswer(view, receivedHash, outcome.type === 'opened')
    },
  )
}

function jobIdOf(text: string): JobId {
  const jobId = parseJobId(text)
  if (!jobId.ok) throw unknownJob(text)
  return jobId.value
}

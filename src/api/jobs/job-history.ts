import type { Address, JobId } from '../../domain/ids.ts'
import type { JobView } from '../../messages/job-view.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JobPage, JobQuery, JobViews } from '../../ports/job-views.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import { RefusalError, refuse } from '../http/errors.ts'
import { requireKnown } from '../models/known-model.ts'
import { unknownCursor, unknownModel } from './job-query.ts'
import type { Jobs } from './jobs.ts'

/** The jobs of a wallet, from the jobs themselves or from their views, whichever knows. */
export interface JobHistory {
  /** Undefined: this wallet never had this job. @throws {RefusalError} service_unavailable */
  read(wallet: Address, jobId: JobId): Promise<JobView | undefined>
  /** @throws {RefusalError} service_unavailable; invalid_request where cursor or model are unknown */
  list(query: JobQuery): Promise<JobPage>
}

interface Options {
  readonly catalogue: Catalogue
  readonly jobs: Jobs
  readonly jobViews: JobViews
  readonly clock: Clock
  readonly log: Log
}

export function makeJobHistory({ catalogue, jobs, jobViews, clock, log }: Options): JobHistory {
  const seldom = new Seldom(clock, log)
  /** The newest word on a job is its own. Undefined: there is none of this wallet. */
  const ask = async (wallet: Address, jobId: JobId): Promise<JobView | 'forgotten' | undefined> => {
    const answer = await jobs.get(jobId)
    if (answer === undefined) throw unavailable('The job cannot be read at the moment; try again.')
    if (answer.type === 'unknown_job') return 'forgotten'
    // Another wallet's job is the same to the caller as one that never was.
    return answer.type === 'accepted' && answer.view.wallet === wallet ? answer.view : undefined
  }

  const looked = async <T>(look: Promise<T | 'incomplete'>): Promise<T> => {
    const found = await look.catch((error: unknown) => {
      seldom.warn({ err: error }, 'job views: no answer')
      throw unavailable('The list of jobs cannot be read at the moment; try again.')
    })
    if (found !== 'incomplete') return found
    throw unavailable('The list of jobs is being rebuilt; try again in a few seconds.')
  }

  const refuseCursor = async (query: JobQuery, cursor: 'before' | 'after'): Promise<void> => {
    const jobId = query[cursor]!
    const job = await ask(query.wallet, jobId)
    if (job === undefined || job === 'forgotten') {
      throw new RefusalError(unknownCursor(cursor, jobId))
    }
  }

  return {
    read: async (wallet, jobId) => {
      const job = await ask(wallet, jobId)
      return job === 'forgotten' ? looked(jobViews.get(wallet, jobId)) : job
    },

    list: async (query) => {
      // A job that answers has its view written first: so each cursor is unknown once at most.
      for (let attempt = 0; attempt <= CURSORS; attempt++) {
        const reply = await looked(jobViews.page(query))
        if (reply.type === 'page') return refuseModel(catalogue, query, reply)
        await refuseCursor(query, reply.cursor)
      }
      throw unavailable('The list of jobs cannot be read at the moment; try again.')
    },
  }
}

const CURSORS = 2

/** Retired models stay in the catalogue; one of earlier contracts is known to whoever had jobs of it. */
function refuseModel(catalogue: Catalogue, { model }: JobQuery, page: JobPage): JobPage {
  if (model === undefined || page.modelSeen) return page
  requireKnown(catalogue)
  if (catalogue.find(model)) return page
  throw new RefusalError(unknownModel(model))
}

const unavailable = (message: string) => refuse('service_unavailable', message)

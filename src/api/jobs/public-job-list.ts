import type { Address } from '../../domain/ids.ts'
import { publicJob } from '../../messages/public-job.ts'
import type { JobPage } from '../../ports/job-views.ts'
import type { JobListQuery } from './job-query.ts'

/** The public Job list (specification, Resources). */
export function publicJobList(query: JobListQuery, page: JobPage, escrowAddress: Address) {
  const upwards = query.after !== undefined && query.before === undefined
  const last = upwards ? page.jobs[0] : page.jobs.at(-1)
  return {
    object: 'list',
    data: page.jobs.map((view) => publicJob(view, escrowAddress)),
    has_more: page.hasMore,
    next_cursor: page.hasMore && last ? last.id : null,
  }
}

import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import type {
  JobPage,
  JobQuery,
  JobViews,
  UnknownCursor,
  VersionedJob,
  ViewsMemory,
} from '../../../src/ports/job-views.ts'

/** Job views as a plain array: what the real ones must be like. */
export class MemoryJobViews implements JobViews {
  readonly jobs: VersionedJob[] = []
  state: ViewsMemory = { type: 'complete' }
  #token: string | undefined

  async put(jobs: readonly VersionedJob[]): Promise<void> {
    for (const job of jobs) {
      const at = this.jobs.findIndex(({ view }) => view.id === job.view.id)
      if (at < 0) this.jobs.push(job)
      else if (this.jobs[at]!.version < job.version) this.jobs[at] = job
    }
  }

  async page(query: JobQuery): Promise<JobPage | UnknownCursor | 'incomplete'> {
    if (this.state.type !== 'complete') return 'incomplete'
    const { wallet, limit, before, after, status, model } = query
    const all = this.#of(wallet)
    const has = (id: JobId) => all.some((job) => job.id === id)
    if (before !== undefined && !has(before)) return { type: 'unknown_cursor', cursor: 'before' }
    if (after !== undefined && !has(after)) return { type: 'unknown_cursor', cursor: 'after' }
    const fitting = all.filter(
      (job) =>
        (before === undefined || job.id < before) &&
        (after === undefined || job.id > after) &&
        (status === undefined || job.status === status) &&
        (model === undefined || job.model === model),
    )
    const upwards = after !== undefined && before === undefined
    return {
      type: 'page',
      jobs: upwards ? fitting.slice(-limit) : fitting.slice(0, limit),
      hasMore: fitting.length > limit,
      modelSeen: model === undefined ? all.length > 0 : all.some((job) => job.model === model),
    }
  }

  async get(wallet: Address, jobId: JobId): Promise<JobView | undefined | 'incomplete'> {
    if (this.state.type !== 'complete') return 'incomplete'
    return this.#of(wallet).find(({ id }) => id === jobId)
  }

  async memory(): Promise<ViewsMemory> {
    return this.state
  }

  async beginRebuild(): Promise<string> {
    this.#token = 'token'
    return this.#token
  }

  async endRebuild(token: string): Promise<boolean> {
    if (token !== this.#token) return false
    this.state = { type: 'complete' }
    return true
  }

  async advance(): Promise<void> {}

  /** As a flush does. */
  forget(): void {
    this.jobs.length = 0
    this.state = { type: 'lost' }
    this.#token = undefined
  }

  /** Newest first. */
  #of(wallet: Address): JobView[] {
    return this.jobs
      .map(({ view }) => view)
      .filter((view) => view.wallet === wallet)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
  }
}

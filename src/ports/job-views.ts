import type { Address, JobId } from '../domain/ids.ts'
import type { JobStatus, JobView } from '../messages/job-view.ts'

/**
 * Jobs as their owners see them, by wallet: a copy for lists, and for what the journal no longer
 * holds. The journal is the truth; a copy that lost its memory is made anew from journal and archive.
 */
export interface JobViews {
  /** Keeps the newest version of each job; older ones, and repeats, change nothing. */
  put(jobs: readonly VersionedJob[]): Promise<void>
  /** `incomplete`: memory was lost, and is being restored. */
  page(query: JobQuery): Promise<JobPage | UnknownCursor | 'incomplete'>
  get(wallet: Address, jobId: JobId): Promise<JobView | undefined | 'incomplete'>
  memory(): Promise<ViewsMemory>
  /**
   * Says that everything will now be put. @returns a token for `endRebuild`, which is worth nothing
   * once memory was lost again
   */
  beginRebuild(): Promise<string>
  /**
   * Says that all jobs whose last record is older than sequence `upTo` are in.
   * @returns false when memory was lost since `beginRebuild`: begin anew
   */
  endRebuild(token: string, upTo: number): Promise<boolean>
  /** Every record older than sequence `upTo` is in. Without effect while memory is lost. */
  advance(upTo: number): Promise<void>
}

export type ViewsMemory =
  | { readonly type: 'complete' }
  /** An earlier life of the store kept what it had, perhaps but its last writes. */
  | { readonly type: 'lost_tail' /** No older record is missing. */; readonly from: number }
  | { readonly type: 'lost' }

export interface VersionedJob {
  readonly view: JobView
  /** The journal's sequence of the record that this was read from. */
  readonly version: number
}

export interface JobQuery {
  readonly wallet: Address
  readonly limit: number
  /** Only jobs older than this one. */
  readonly before?: JobId | undefined
  /** Only jobs newer than this one. Alone: those just newer; with `before`: those between. */
  readonly after?: JobId | undefined
  readonly status?: JobStatus | undefined
  readonly model?: string | undefined
}

/** The wallet has no such job. */
export interface UnknownCursor {
  readonly type: 'unknown_cursor'
  readonly cursor: 'before' | 'after'
}

export interface JobPage {
  readonly type: 'page'
  /** Newest first. */
  readonly jobs: readonly JobView[]
  /** More in the direction of paging. */
  readonly hasMore: boolean
  /** False: no job of the wallet was ever of the model that was asked for. */
  readonly modelSeen: boolean
}

/** Finished jobs, kept for ever: the journal forgets after some days. */
export interface JobArchive {
  /** Repeats are harmless: whoever reads keeps the newest version of each job. */
  append(jobs: readonly VersionedJob[]): Promise<void>
  /** All of them, oldest first, some at a time; the next are read once `each` has resolved. */
  read(each: (jobs: readonly VersionedJob[]) => Promise<void>): Promise<void>
}

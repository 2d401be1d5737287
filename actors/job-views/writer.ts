import type { JobView } from '../../src/messages/job-view.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { JobArchive, JobViews, VersionedJob } from '../../src/ports/job-views.ts'
import type { Follower } from '../../src/runtime/follower.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { NewestWriter, type Versioned } from './newest-writer.ts'

interface Options<State> {
  readonly views: JobViews
  readonly archive: JobArchive
  /** Undefined: nobody is to see this job. */
  readonly viewOf: (state: State) => JobView | undefined
  /** The job has come to its end. */
  readonly rests: (state: State) => boolean
  readonly clock: Clock
  readonly log: Log
}

interface Changed<State> extends Versioned {
  readonly state: State
}

/** Soon enough for who looks at a list, late enough for the states of one moment to be one write. */
const VIEWS_SPACING_MS = 20
/** A script of Redis at most a few milliseconds long. */
const VIEWS_MOST = 200
/** Nobody waits for the archive, and a message may hold many jobs. */
const ARCHIVE_SPACING_MS = 1_000
const ARCHIVE_MOST = 5_000

/** Keeps the job views, and the archive of finished jobs, up to what happens in one host. */
export class JobViewWriter<State> implements Follower<State> {
  readonly #options: Options<State>
  readonly #views: NewestWriter<Changed<State>>
  readonly #archive: NewestWriter<Changed<State>>

  constructor(options: Options<State>) {
    const { views, archive, clock, log } = options
    this.#options = options
    this.#views = new NewestWriter({
      name: 'job views',
      write: (jobs) => views.put(this.#versioned(jobs)),
      spacingMs: VIEWS_SPACING_MS,
      most: VIEWS_MOST,
      clock,
      log,
    })
    this.#archive = new NewestWriter({
      name: 'job archive',
      write: (jobs) => archive.append(this.#versioned(jobs)),
      spacingMs: ARCHIVE_SPACING_MS,
      most: ARCHIVE_MOST,
      clock,
      log,
    })
  }

  changed(id: string, sequence: number, state: State): void {
    const job = { id, sequence, state }
    this.#views.add(job)
    if (this.#options.rests(state)) this.#archive.add(job)
  }

  get oldestPending(): number {
    return Math.min(this.#views.oldest, this.#archive.oldest)
  }

  shown(id: string): Promise<void> | undefined {
    return this.#views.written(id)
  }

  async drain(): Promise<void> {
    await Promise.all([this.#views.drain(), this.#archive.drain()])
  }

  #versioned(jobs: readonly Changed<State>[]): VersionedJob[] {
    return jobs.flatMap(({ id, sequence, state }) => {
      try {
        const view = this.#options.viewOf(state)
        return view ? [{ view, version: sequence }] : []
      } catch (error) {
        // One state that another version has written must not hide all the others.
        this.#options.log.error({ err: error, jobId: id }, 'job views: a job cannot be shown')
        return []
      }
    })
  }
}

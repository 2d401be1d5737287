import type { JobView } from '../../src/messages/job-view.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { JobArchive, JobViews, VersionedJob } from '../../src/ports/job-views.ts'
import type { JournalReader, StoredRecord } from '../../src/ports/journal.ts'
import type { Log } from '../../src/telemetry/log.ts'

export interface RebuilderOptions {
  readonly views: JobViews
  readonly archive: JobArchive
  readonly journal: JournalReader
  /** The view of a job, from a record of its journal. Undefined: nobody is to see it. */
  readonly viewOf: (record: StoredRecord) => JobView | undefined
  /** The sequence below which all hosts have written the views of their jobs. */
  readonly viewedUpTo: () => Promise<number>
  /** Called when the store has begun a new life, of which its last writes may be missing. */
  readonly onLoss: () => void
  readonly clock: Clock
  readonly log: Log
}

/** Notices that the job views lost their memory, and makes them anew. One host runs it. */
export interface JobViewRebuilder {
  start(): Promise<void>
  stop(): Promise<void>
}

const LOOK_MS = 500
/** What this saves is reading after a restart of the store: a few seconds more are nothing. */
const ADVANCE_MS = 5_000

export function makeJobViewRebuilder(options: RebuilderOptions): JobViewRebuilder {
  const { clock, log } = options
  let stopped = false
  let failing = false
  let running: Promise<void> | undefined
  let endings: (() => void)[] = []

  /** Never twice at a time; what fails is tried again at the next look. */
  const take = (step: () => Promise<void>) => {
    if (stopped || running) return
    running = step()
      .then(
        () => {
          failing = false
        },
        (error) => {
          if (error instanceof Stopped) return
          if (!failing) log.warn({ err: error }, 'job views: cannot be looked after, trying again')
          failing = true
        },
      )
      .finally(() => {
        running = undefined
      })
  }
  const look = () => take(() => restore(options, () => stopped))

  return {
    start: async () => {
      endings = [
        clock.every(LOOK_MS, look),
        clock.every(ADVANCE_MS, () => take(() => advance(options))),
      ]
      look()
    },
    stop: async () => {
      stopped = true
      for (const end of endings.splice(0)) end()
      await running
    },
  }
}

async function advance({ views, viewedUpTo }: RebuilderOptions): Promise<void> {
  await views.advance(await viewedUpTo())
}

/** The host gives this up in the middle of a rebuild; the next one begins anew. */
class Stopped extends Error {}

/** Until the views are complete: they may be lost again in the middle of it. */
async function restore(options: RebuilderOptions, isStopped: () => boolean): Promise<void> {
  const { views, clock, log } = options
  for (;;) {
    const memory = await views.memory()
    if (memory.type === 'complete') return
    const beganAt = clock.monotonic()
    log.warn({ memory }, 'job views: incomplete, rebuilding')
    options.onLoss()
    const { isComplete, jobs } = await rebuild(options, memory, isStopped)
    const ms = Math.round(clock.monotonic() - beganAt)
    if (isComplete) log.info({ jobs, ms }, 'job views: complete again')
    else log.warn({ jobs, ms }, 'job views: memory was lost again, rebuilding')
  }
}

async function rebuild(
  options: RebuilderOptions,
  memory: Exclude<Awaited<ReturnType<JobViews['memory']>>, { type: 'complete' }>,
  isStopped: () => boolean,
): Promise<{ readonly isComplete: boolean; readonly jobs: number }> {
  const { views, archive, journal } = options
  let jobs = 0
  const put = async (some: readonly VersionedJob[]) => {
    if (isStopped()) throw new Stopped()
    await views.put(some)
    jobs += some.length
  }
  const token = await views.beginRebuild()
  // What is appended after this is put by the host that appends it.
  const { oldest, newest } = await journal.bounds()
  // A mark beyond the journal's end is of one that was lost since, or has lost its end, and says nothing of this one.
  const isKnown = memory.type === 'lost_tail' && memory.from <= newest + 1
  const from = isKnown ? memory.from : 0
  // What the journal has forgotten, the archive holds.
  if (from < oldest || !isKnown) await archive.read(put)
  await journal.read(from, (records) =>
    put(records.flatMap((record) => versioned(options, record))),
  )
  return { isComplete: await views.endRebuild(token, newest + 1), jobs }
}

function versioned({ viewOf, log }: RebuilderOptions, record: StoredRecord): VersionedJob[] {
  try {
    const view = viewOf(record)
    return view ? [{ view, version: record.sequence }] : []
  } catch (error) {
    // One record that nobody can read must not hide all the others.
    log.error({ err: error, subject: record.subject }, 'job views: a record cannot be read')
    return []
  }
}

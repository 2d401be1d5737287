import { type Credits, NO_CREDITS } from '../../src/domain/credits.ts'
import type { Address } from '../../src/domain/ids.ts'
import { keepNewest } from '../../src/domain/newest.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import { type JobHappening, jobFact } from '../../src/messages/job-fact.ts'
import type { JobView } from '../../src/messages/job-view.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { EventInterest } from '../../src/ports/event-interest.ts'
import type { Facts } from '../../src/ports/facts.ts'
import type { Follower } from '../../src/runtime/follower.ts'
import { type Lines, makeLines } from '../../src/runtime/lines.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { Seldom } from '../../src/telemetry/seldom.ts'

interface Options<State> {
  readonly facts: Facts
  readonly interest: EventInterest
  /** Undefined: of no wallet that may be told. */
  readonly walletOf: (state: State) => Address | undefined
  readonly viewOf: (state: State) => JobView | undefined
  /** All that has happened to a job by this state, in order. */
  readonly happeningsOf: (state: State) => readonly JobHappening[]
  /** What a wallet can spend now. @throws where nobody can say at the moment */
  readonly remaining: (wallet: Address) => Promise<Credits>
  readonly escrowAddress: Address
  readonly clock: Clock
  readonly log: Log
}

interface Telling {
  readonly view: JobView
  readonly sequence: number
  readonly happening: JobHappening
  readonly at: UnixMs
}

/** Some megabytes. Of a job that is forgotten here the same is told again, under the same ids. */
const JOBS_REMEMBERED = 50_000
const DRAIN_MS = 5_000
const LOOK_MS = 20

/**
 * Tells the facts of jobs to the stream FACT, for wallets whose events anybody asks for. Each once,
 * as far as this host remembers; a repeat has the same id.
 */
export class JobFactTeller<State> implements Follower<State> {
  readonly #options: Options<State>
  readonly #lines: Lines<Telling>
  readonly #pending = new Set<Telling>()
  readonly #told = new Map<string, Set<JobHappening['type']>>()

  constructor(options: Options<State>) {
    this.#options = options
    const seldom = new Seldom(options.clock, options.log)
    this.#lines = makeLines<Telling>({
      clock: options.clock,
      keyOf: ({ view }) => view.id,
      attempt: (telling) => this.#tell(telling),
      done: (telling) => this.#pending.delete(telling),
      failed: (error, { view, happening: { type } }) => {
        const about = { err: error, jobId: view.id, type }
        seldom.warn(about, 'job facts: one is not told yet, trying again')
      },
    })
  }

  changed(id: string, sequence: number, state: State): void {
    const { interest, walletOf, viewOf, happeningsOf, clock } = this.#options
    const wallet = walletOf(state)
    if (wallet === undefined || !interest.of(wallet)) return
    const told = this.#toldOf(id)
    const fresh = happeningsOf(state).filter(({ type }) => !told.has(type))
    const view = fresh.length > 0 ? viewOf(state) : undefined
    if (!view) return
    for (const happening of fresh) {
      told.add(happening.type)
      const telling = { view, sequence, happening, at: clock.now() }
      this.#pending.add(telling)
      this.#lines.push(telling)
    }
  }

  get oldestPending(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const { sequence } of this.#pending) oldest = Math.min(oldest, sequence)
    return oldest
  }

  /** Resolves when all is told, or could not be soon. */
  async drain(): Promise<void> {
    const { clock } = this.#options
    const deadline = clock.monotonic() + DRAIN_MS
    while (this.#pending.size > 0 && clock.monotonic() < deadline) {
      await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve))
    }
  }

  async #tell({ view, happening, at }: Telling): Promise<void> {
    const { facts, remaining, escrowAddress } = this.#options
    const credits = happening.type === 'job.completed' ? await remaining(view.wallet) : NO_CREDITS
    await facts.publish(jobFact({ happening, view, escrowAddress, at, remaining: credits }))
  }

  #toldOf(id: string): Set<JobHappening['type']> {
    const told = this.#told.get(id) ?? new Set()
    keepNewest(this.#told, id, told, JOBS_REMEMBERED)
    return told
  }
}

import { status } from '@grpc/grpc-js'
import type { Models, Standing, Welcome } from '../../proto/gen/svc/worker/v1/worker.ts'
import { AGENT_VERSION } from '../domain/version.ts'
import type { Log } from '../telemetry/log.ts'
import type { Traces } from '../telemetry/traces.ts'
import { AcceptedJobs } from './accepted-jobs.ts'
import { adviceFor, OTHER_VERSION } from './advice.ts'
import { backoffMs, LASTING, pause } from './backoff.ts'
import type { WorkerFacts } from './chain/worker-facts.ts'
import { dial, type PoolTarget, told } from './dial.ts'
import type { Engine } from './engine.ts'
import type { Identity } from './identity.ts'
import type { JobRun, RunEnd } from './job-run.ts'
import { NOT_WRITTEN, type SignedJobs } from './local/signed-jobs.ts'
import { Patience } from './patience.ts'
import { PoolRing } from './pool-ring.ts'
import { DRAIN_MS, Session, type SessionEnd } from './session.ts'
import type { AgentReport, Phase } from './status/report.ts'
import type { WorkFigures } from './status/work-figures.ts'
import { Stay } from './stay.ts'
import { type ServedModels, WatchedModels } from './watched-models.ts'
import { WorkLedger } from './work-ledger.ts'

export interface AgentOptions {
  /** Pools to dial, as they are at that moment; at least one. */
  readonly pools: () => Promise<readonly PoolTarget[]>
  readonly identity: Identity
  readonly engine: Engine
  readonly slots: number
  readonly region: string
  readonly signed: SignedJobs
  readonly log: Log
  readonly traces?: Traces | undefined
  readonly figures?: WorkFigures | undefined
}

/** How one stream ended. */
interface Served {
  readonly end: SessionEnd
  /** This agent ended it, because the engine has other models now. */
  readonly left: boolean
}

const MODELS_RETRY_MS = 5_000
/** So long the old pool still sends us jobs once the new one does: all have heard of it by then. */
const HANDOVER_MS = 500
/** Whoever stops a process does not wait long. */
const STOP_MS = 15_000

/**
 * Serves one pool at a time for as long as it runs: dials, works, and dials the next one for ever.
 * It waits only when all were tried.
 */
export class Agent {
  private readonly stopping = new AbortController()
  private readonly runs = new Set<JobRun>()
  private readonly ledger = new WorkLedger()
  private readonly ring: PoolRing
  private readonly patience = new Patience()
  private pool: PoolTarget | undefined
  private phase: Phase = 'dialling'
  private models: ServedModels = new Map()
  private welcome: Welcome | undefined
  private terms: Models | undefined
  private standing: Standing | undefined
  private chain: WorkerFacts | undefined
  private trouble: string | null = null
  private watch: WatchedModels | undefined
  private session: Session | undefined
  /** At pools that are going: they may still have jobs for us until another has welcomed us. */
  private readonly leaving = new Map<Stay, Promise<unknown>>()
  private loop: Promise<void> = Promise.resolve()

  constructor(private readonly options: AgentOptions) {
    this.ring = new PoolRing(options.pools)
  }

  start(): void {
    this.loop = this.work()
  }

  /** Finishes running jobs, but for no longer than `spanMs`, then leaves. */
  async stop(spanMs = STOP_MS): Promise<void> {
    this.phase = 'draining'
    this.stopping.abort()
    const sessions = [this.session, ...[...this.leaving.keys()].map(({ session }) => session)]
    await Promise.all(sessions.map((session) => session?.drain(spanMs)))
    await Promise.all([this.loop, ...this.leaving.values()])
    await this.options.engine.close()
  }

  /** What somebody read of this worker on chain. */
  tellChain(facts: WorkerFacts): void {
    this.chain = facts
    this.ledger.shareBps = facts.shareBps
  }

  report(): AgentReport {
    const { identity, slots, signed } = this.options
    const { jobsDone, jobsFailed, unitsEarned } = this.ledger
    return {
      worker: identity.address,
      version: AGENT_VERSION,
      phase: this.phase,
      pool: this.pool ? told(this.pool) : null,
      poolName: this.welcome?.pool ?? null,
      workerId: this.welcome?.workerId ?? null,
      models: [...this.models.keys()],
      leftOut: this.terms?.leftOut ?? [],
      slots,
      busy: this.runs.size,
      jobsDone,
      jobsFailed,
      unitsEarned: String(unitsEarned),
      trouble: this.trouble ?? (signed.isWritable ? null : NOT_WRITTEN),
      standing: this.standing ?? null,
      chain: this.chain ?? null,
    }
  }

  private async work(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.models = await this.options.engine.models()
      if (this.stopping.signal.aborted) return
      if (this.models.size === 0) {
        this.phase = 'no_models'
        await pause(this.stopping.signal, MODELS_RETRY_MS)
        continue
      }
      this.phase = 'dialling'
      this.pool = await this.ring.next()
      const stay = new Stay()
      const serving = this.serve(this.pool, this.models, stay)
      const served = await Promise.race([serving, stay.toldToMove])
      if (this.stopping.signal.aborted && served !== 'move') return
      if (served === 'move') {
        this.leaveBehind(stay, serving)
        continue
      }
      const { end, left } = served
      if (end.welcomed) this.ring.reached()
      if (left) continue
      const waitMs = this.patience.waitMs(end, this.ring.triedAll)
      this.complain(end, waitMs)
      await pause(this.stopping.signal, waitMs)
    }
  }

  /** Jobs go on there while the next pool is dialled. */
  private leaveBehind(stay: Stay, serving: Promise<Served>): void {
    const over = serving.finally(() => this.leaving.delete(stay))
    this.leaving.set(stay, over)
    this.ring.reached()
  }

  /** One pool, for as long as it knows us: while jobs run, it waits for a stream that broke. */
  private async serve(pool: PoolTarget, models: ServedModels, stay: Stay): Promise<Served> {
    const { runs } = this
    const jobs = new AcceptedJobs({ ...this.options, runs, onRan: (end) => this.ran(end) })
    try {
      let served = await this.connect(pool, models, jobs, stay)
      let { welcomed } = served.end
      while (!stay.moving && (await this.mayResume(served, jobs))) {
        served = await this.connect(pool, models, jobs, stay)
        welcomed ||= served.end.welcomed
      }
      return { ...served, end: { ...served.end, welcomed } }
    } finally {
      jobs.drop()
    }
  }

  /** Whether the same pool is to be dialled again for the sake of jobs; waits for a moment before. */
  private async mayResume({ end, left }: Served, jobs: AcceptedJobs): Promise<boolean> {
    const isOver = () => left || this.stopping.signal.aborted || jobs.comebackMs === 0
    if (isOver() || end.drained || LASTING.includes(end.code)) return false
    this.phase = 'reconnecting'
    this.options.log.warn(
      { pool: this.pool && told(this.pool), code: status[end.code], jobs: jobs.size },
      'the connection broke: jobs run on, dialling the same pool again',
    )
    await pause(this.stopping.signal, backoffMs(0))
    return !isOver()
  }

  /** One stream. */
  private async connect(
    pool: PoolTarget,
    models: ServedModels,
    jobs: AcceptedJobs,
    stay: Stay,
  ): Promise<Served> {
    const { engine, log } = this.options
    const { call, close } = dial(pool)
    const { runs } = this
    const { paces } = this.ledger
    // What a pool says that we are leaving is no news of the one where we are.
    const ifHere = <T>(hear: (news: T) => void) => {
      return (news: T) => {
        if (this.session === session) hear(news)
      }
    }
    const session: Session = new Session({
      ...{ ...this.options, call, models, jobs, runs, paces },
      hears: {
        welcomed: ifHere((welcome) => this.welcomed(welcome)),
        offered: ifHere((terms) => this.offered(terms)),
        stands: ifHere((standing) => this.stands(standing)),
        mustMove: () => stay.mustMove(),
      },
    })
    this.session = session
    stay.session = session
    let left = false
    const watch = new WatchedModels(engine, models, log, () => {
      left = true
      log.warn('the engine serves other models than before: connecting anew')
      void session.drain(DRAIN_MS, 'other models')
    })
    this.watch = watch
    if (this.stopping.signal.aborted) call.cancel()
    try {
      return { end: await session.ended, left }
    } finally {
      watch.stop()
      if (this.session === session) this.forget()
      close()
    }
  }

  /** Nothing of what a pool said is true after its session. */
  private forget(): void {
    this.watch = undefined
    this.session = undefined
    this.welcome = undefined
    this.terms = undefined
    this.standing = undefined
    if (this.phase === 'connected') this.phase = 'dialling'
  }

  private welcomed(welcome: Welcome): void {
    this.welcome = welcome
    this.trouble = null
    if (this.phase !== 'draining') this.phase = 'connected'
    const stays = [...this.leaving.keys()]
    setTimeout(() => {
      for (const { session } of stays) void session?.drain(DRAIN_MS, 'the pool drains')
    }, HANDOVER_MS).unref()
  }

  private offered(terms: Models): void {
    this.terms = terms
  }

  private stands(standing: Standing): void {
    this.standing = standing
  }

  private ran(end: RunEnd): void {
    const unitsEarned = this.ledger.add(end)
    this.options.figures?.ran(end, unitsEarned)
    this.options.signed.sweep(Math.floor(Date.now() / 1_000))
    if (end.engineFailed) this.watch?.lookNow()
  }

  private complain(end: SessionEnd, waitMs: number): void {
    const { welcomed, code, details, isSpoken } = end
    const advice = isSpoken ? adviceFor(code, details) : OTHER_VERSION
    const pool = this.pool && told(this.pool)
    const about = { pool, code: status[code], details, waitMs }
    const what = welcomed ? 'connection lost' : 'not connected'
    this.trouble = `${advice} (${status[code]}: ${details})`
    this.options.log.warn(about, `${what}: ${advice}`)
  }
}

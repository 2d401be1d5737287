import { status } from '@grpc/grpc-js'
import type { Log } from '../telemetry/log.ts'
import { dial, type PoolAddress } from './dial.ts'
import type { Engine } from './engine.ts'
import type { Identity } from './identity.ts'
import type { JobRun } from './job-run.ts'
import { adviceFor, Session, type SessionEnd } from './session.ts'

export interface AgentOptions {
  readonly pool: PoolAddress
  readonly identity: Identity
  readonly engine: Engine
  readonly slots: number
  readonly region: string
  readonly log: Log
}

const BACKOFF_MS = { first: 100, max: 5_000 } as const
const MODELS_RETRY_MS = 5_000
const DRAIN_MS = 15_000

/** Codes that a quick retry will not change. */
const LASTING: readonly status[] = [
  status.UNAUTHENTICATED,
  status.INVALID_ARGUMENT,
  status.FAILED_PRECONDITION,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
]

/** Serves one pool for as long as it runs: dials, works, and dials again for ever. */
export class Agent {
  private readonly stopping = new AbortController()
  private readonly runs = new Set<JobRun>()
  private session: Session | undefined
  private loop: Promise<void> = Promise.resolve()

  constructor(private readonly options: AgentOptions) {}

  start(): void {
    this.loop = this.work()
  }

  /** Finishes running jobs, then leaves. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.session?.drain(DRAIN_MS)
    await this.loop
    await this.options.engine.close()
  }

  private async work(): Promise<void> {
    let failures = 0
    while (!this.stopping.signal.aborted) {
      const models = await this.options.engine.models()
      if (models.size === 0) {
        await this.pause(MODELS_RETRY_MS)
        continue
      }
      const end = await this.serve(models)
      if (this.stopping.signal.aborted) return
      failures = end.welcomed ? 0 : failures + 1
      const waitMs = backoffMs(LASTING.includes(end.code) ? Infinity : failures)
      this.report(end, waitMs)
      await this.pause(waitMs)
    }
  }

  private async serve(models: ReadonlyMap<string, number>): Promise<SessionEnd> {
    const { pool, ...rest } = this.options
    const { call, close } = dial(pool)
    this.session = new Session({ ...rest, call, models, runs: this.runs })
    if (this.stopping.signal.aborted) call.cancel()
    try {
      return await this.session.ended
    } finally {
      this.session = undefined
      close()
    }
  }

  private report({ welcomed, code, details }: SessionEnd, waitMs: number): void {
    const about = { pool: this.options.pool.target, code: status[code], details, waitMs }
    const what = welcomed ? 'connection lost' : 'not connected'
    this.options.log.warn(about, `${what}: ${adviceFor(code)}`)
  }

  private pause(spanMs: number): Promise<void> {
    const { signal } = this.stopping
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, spanMs)
      signal.addEventListener('abort', done)
    })
  }
}

/** Doubles from 100 ms to 5 s; jitter keeps agents from all dialling a new pool at once. */
function backoffMs(failures: number): number {
  const full = Math.min(BACKOFF_MS.first * 2 ** failures, BACKOFF_MS.max)
  return Math.round(full * (0.5 + Math.random() / 2))
}

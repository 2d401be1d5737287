import type { Log } from '../telemetry/log.ts'
import type { Engine } from './engine.ts'

const LOOK_MS = 15_000
/** One look that finds less may have met an engine that was busy; a second one decides. */
const SECOND_LOOK_MS = 1_000

export type ServedModels = ReadonlyMap<string, number>

/** Looks at an engine's models while a session is on, and says when they are others. */
export class WatchedModels {
  private readonly timer: NodeJS.Timeout
  private looking = false
  private stopped = false

  constructor(
    private readonly engine: Engine,
    private readonly offered: ServedModels,
    private readonly log: Log,
    /** Called once. */
    private readonly changed: () => void,
  ) {
    this.timer = setInterval(() => this.lookNow(), LOOK_MS)
  }

  /** An engine that has just failed may be gone: better to know before the next offer. */
  lookNow(): void {
    if (this.looking || this.stopped) return
    this.looking = true
    this.look()
      .catch((error: unknown) => this.log.error({ err: error }, 'models cannot be looked at'))
      .finally(() => {
        this.looking = false
      })
  }

  stop(): void {
    this.stopped = true
    clearInterval(this.timer)
  }

  private async look(): Promise<void> {
    if (sameModels(await this.engine.models(), this.offered)) return
    await new Promise<void>((resolve) => setTimeout(resolve, SECOND_LOOK_MS))
    if (this.stopped || sameModels(await this.engine.models(), this.offered) || this.stopped) return
    this.stop()
    this.changed()
  }
}

const sameModels = (a: ServedModels, b: ServedModels): boolean =>
  a.size === b.size && [...a].every(([id, contextWindow]) => b.get(id) === contextWindow)

import type { DurationMs } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { FailedEffects } from './failed-effects.ts'
import type { DueEffect, EffectContext } from './kind.ts'

const RETRY_MS_FIRST = 50
const RETRY_MS_MAX = 2_000

interface Options<Command, Effect> {
  readonly clock: Clock
  readonly failed: FailedEffects
  run(effect: Effect, context: EffectContext<Command>): Promise<void>
  tell(command: Command): void
}

/** The effects one actor has under way: what is due runs, what is due no more is cancelled. */
export class EffectSet<Command, Effect extends DueEffect> {
  readonly #options: Options<Command, Effect>
  readonly #running = new Map<string, Running<Command, Effect>>()

  constructor(options: Options<Command, Effect>) {
    this.#options = options
  }

  /** Brings what is under way in line with what is due. */
  update(due: readonly Effect[]): void {
    for (const [key, running] of this.#running) {
      if (due.some((effect) => effect.key === key)) continue
      running.cancel()
      this.#running.delete(key)
    }
    this.add(due)
  }

  /** Starts effects beside those that are under way. */
  add(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (this.#running.has(effect.key)) continue
      const running = new Running(effect, this.#options)
      this.#running.set(effect.key, running)
      running.start()
    }
  }

  cancelAll(): void {
    this.update([])
  }
}

class Running<Command, Effect extends DueEffect> {
  readonly #effect: Effect
  readonly #options: Options<Command, Effect>
  /** By the clock that never jumps. */
  readonly #dueAt: number
  #failures = 0
  #cancelled = false
  #cancelTimer: () => void = () => {}

  constructor(effect: Effect, options: Options<Command, Effect>) {
    this.#effect = effect
    this.#options = options
    this.#dueAt = options.clock.monotonic()
  }

  start(): void {
    const wait = this.#waitMs()
    if (wait > 0) this.#later(wait)
    else void this.#run()
  }

  #waitMs(): DurationMs {
    const { notBefore, withinMs = Number.POSITIVE_INFINITY } = this.#effect
    if (notBefore === undefined) return 0
    const { clock } = this.#options
    return Math.min(notBefore - clock.now(), this.#dueAt + withinMs - clock.monotonic())
  }

  cancel(): void {
    this.#cancelled = true
    this.#cancelTimer()
  }

  #later(span: number): void {
    this.#cancelTimer = this.#options.clock.after(span, () => this.start())
  }

  async #run(): Promise<void> {
    const { failed, run, tell } = this.#options
    try {
      await run(this.#effect, {
        tell: (command) => {
          if (!this.#cancelled) tell(command)
        },
      })
      this.#failures = 0
      if (!this.#cancelled && this.#effect.everyMs !== undefined) this.#later(this.#effect.everyMs)
    } catch (error) {
      if (this.#cancelled) return
      const wait = Math.min(RETRY_MS_FIRST * 2 ** this.#failures++, RETRY_MS_MAX)
      failed.tell(this.#effect.key, error)
      this.#later(wait)
    }
  }
}

import { addMs, type DurationMs } from '../../src/domain/time.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Core, Process } from './core.ts'
import { makeLifeLog } from './life-log.ts'
import type { NodeOptions, Service } from './world.ts'

const CALL_TIMEOUT_MS = 2_000
/** Of the requests that are lost to their sender, so many still arrive, after it gave up. */
const LATE_ARRIVALS = 0.3

/** A simulated process. Once it is dead, nothing that its promises still do has any effect. */
export class SimNode implements Process {
  readonly name: string
  readonly clock: Clock
  #skew = 0
  readonly log: Log
  alive = true
  paused = false
  readonly #kernel: Core
  readonly #isSound: boolean
  #waiting: (() => void)[] = []
  readonly #onDeath: (() => void)[] = []
  readonly #sent = new Map<Service, Arriving>()
  readonly #received = new Map<Service, Arriving>()

  constructor(kernel: Core, name: string, { sound = false }: NodeOptions) {
    this.name = name
    this.#kernel = kernel
    this.#isSound = sound
    this.clock = this.#makeClock()
    this.log = makeLifeLog(kernel, this)
  }

  call<T>(
    service: Service,
    act: () => T,
    lost: () => Error,
    timeoutMs: DurationMs = CALL_TIMEOUT_MS,
  ): Promise<T> {
    const { faults, random } = this.#kernel
    return new Promise<T>((resolve, reject) => {
      if (this.#crashes(faults.crashBefore, `before a call to ${service}`)) return
      if (!this.alive) return
      if (this.paused) {
        this.#waiting.push(
          () => void this.call(service, act, lost, timeoutMs).then(resolve, reject),
        )
        return
      }
      const giveUp = () => this.later(timeoutMs, () => reject(lost()))
      if (faults.cut(this.name, service) || random.chance(faults.lostRequest)) {
        giveUp()
        if (random.chance(faults.lostRequest > 0 ? LATE_ARRIVALS : 0)) {
          const span = random.next() * timeoutMs * 2
          this.#kernel.after(span, () => void outcomeOf(act))
        }
        return
      }
      this.#arrive(this.#sent, service, () => {
        const outcome = outcomeOf(act)
        if (this.#crashes(faults.crashAfter, `after a call to ${service}`)) return
        if (faults.cut(this.name, service) || random.chance(faults.lostAnswer)) {
          giveUp()
          return
        }
        this.#arrive(this.#received, service, () =>
          this.run(() => (outcome.ok ? resolve(outcome.value) : reject(outcome.error))),
        )
      })
    })
  }

  send(service: Service, act: () => void): void {
    if (!this.alive) return
    if (this.paused) {
      this.#waiting.push(() => this.send(service, act))
      return
    }
    const { faults } = this.#kernel
    if (faults.cut(this.name, service)) return
    this.#arrive(this.#sent, service, act)
  }

  receive(service: Service, act: () => void): void {
    if (!this.alive || this.#kernel.faults.cut(this.name, service)) return
    this.#arrive(this.#received, service, () => {
      if (!this.#kernel.faults.cut(this.name, service)) this.run(act)
    })
  }

  run(act: () => void): void {
    if (!this.alive) return
    if (this.paused) {
      this.#waiting.push(act)
      return
    }
    this.#kernel.current = this
    act()
  }

  /** A timer of this process. */
  later(span: DurationMs, call: () => void): () => void {
    if (!this.alive) return () => {}
    let isCancelled = false
    // One that is due while the process stands still can be cancelled by what comes before it afterwards.
    const cancel = this.#kernel.after(span, () =>
      this.run(() => {
        if (!isCancelled) call()
      }),
    )
    return () => {
      isCancelled = true
      cancel()
    }
  }

  onDeath(call: () => void): void {
    this.#onDeath.push(call)
  }

  kill(): void {
    if (!this.alive) return
    this.alive = false
    this.#waiting = []
    this.#kernel.history.add(this.name, 'is killed')
    for (const call of this.#onDeath) call()
  }

  pause(): void {
    if (!this.alive || this.paused) return
    this.paused = true
    this.#kernel.history.add(this.name, 'stands still')
  }

  resume(): void {
    if (!this.alive || !this.paused) return
    this.paused = false
    this.#kernel.history.add(this.name, 'goes on')
    for (const act of this.#waiting.splice(0)) this.#kernel.after(0, () => this.run(act))
  }

  setClock(by: DurationMs): void {
    this.#skew += by
    this.#kernel.noteSkew(this.#skew)
    this.#kernel.history.add(this.name, `its clock is set by ${by} ms`)
  }

  #crashes(probability: number, when: string): boolean {
    if (this.#isSound || !this.alive || !this.#kernel.random.chance(probability)) return false
    this.#kernel.history.add(this.name, `crashes ${when}`)
    this.kill()
    return true
  }

  /** A wire has an order: what would overtake comes together with what is before it, in one event. */
  #arrive(wires: Map<Service, Arriving>, service: Service, act: () => void): void {
    const { random, faults } = this.#kernel
    const at = this.#kernel.elapsed() + faults.latency()
    if (random.chance(faults.reorder)) {
      this.#comeAt(at, [act])
      return
    }
    const last = wires.get(service)
    if (last && at <= last.at && !last.isHere) {
      last.acts.push(act)
      return
    }
    wires.set(service, this.#comeAt(at, [act]))
  }

  #comeAt(at: number, acts: (() => void)[]): Arriving {
    const arriving = { at, acts, isHere: false }
    this.#kernel.after(at - this.#kernel.elapsed(), () => {
      arriving.isHere = true
      for (const act of acts) act()
    })
    return arriving
  }

  #makeClock(): Clock {
    const kernel = this.#kernel
    const bornAt = kernel.elapsed()
    this.#skew = kernel.random.between(-kernel.faults.skewMs, kernel.faults.skewMs)
    kernel.noteSkew(this.#skew)
    return {
      now: () => addMs(kernel.now(), this.#skew),
      monotonic: () => kernel.elapsed() - bornAt,
      after: (span, call) => this.later(Math.max(1, span), call),
      every: (span, call) => {
        let cancel = () => {}
        const again = () => {
          cancel = this.later(Math.max(1, span), () => {
            // First the next one: the call may cancel it.
            again()
            call()
          })
        }
        again()
        return () => cancel()
      },
      randomBytes: (count) => kernel.random.bytes(count),
    }
  }
}

/** What comes over one wire at one moment. */
interface Arriving {
  readonly at: number
  readonly acts: (() => void)[]
  isHere: boolean
}

type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

function outcomeOf<T>(act: () => T): Outcome<T> {
  try {
    return { ok: true, value: act() }
  } catch (error) {
    return { ok: false, error }
  }
}

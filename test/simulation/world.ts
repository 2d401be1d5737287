import type { DurationMs, UnixMs } from '../../src/domain/time.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/telemetry/log.ts'

/** The seed's chance: the only source of it in a life. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  /** The same, with small ones likelier: the mean of many is a quarter of the way up. */
  few(low: number, high: number): number
  /** True with probability `p`. */
  chance(p: number): boolean
  pick<T>(choices: readonly T[]): T
  bytes(count: number): Uint8Array
}

/** One life of the whole system, from one seed. */
export interface World {
  readonly random: Random
  readonly faults: Faults
  readonly history: History
  now(): UnixMs
  /** Runs `act` after `ms` of simulated time. The returned function cancels. */
  after(ms: number, act: () => void): () => void
  /** Starts a process; the same name again after a kill is a restart. */
  node(name: string, options?: NodeOptions): Node
  /** The life ends, and has failed: something is not as it must be. */
  fail(what: string): void
}

export interface NodeOptions {
  /** Never crashes by chance within a call; only `kill` ends it. For callers and judges. */
  readonly sound?: boolean
}

/** A simulated process. What the code under test holds is bound to it, and dies with it. */
export interface Node {
  readonly name: string
  /** False for ever once it is killed. */
  readonly alive: boolean
  /** Stands still, as under SIGSTOP: nothing it is told arrives, no timer fires, until it resumes. */
  readonly paused: boolean
  /** Its own, perhaps skewed, clock. Timers are gone when it dies. */
  readonly clock: Clock
  readonly log: Log
  /**
   * A call over the network to `service` ('nats', 'redis', 'chain', 'http'...): `act` runs there at
   * once when the request arrives. Latency, lost requests, lost answers and crashes are put in here.
   * Never resolves when the node dies in between.
   * @param timeoutMs after which `lost` is thrown where no answer came; 2 000 by default
   * @throws what `act` throws; where the request or its answer is lost, what `lost` makes
   */
  call<T>(service: Service, act: () => T, lost: () => Error, timeoutMs?: DurationMs): Promise<T>
  /** Says something to `service` and hears nothing of it; in order with its calls, where it arrives. */
  send(service: Service, act: () => void): void
  /** What `service` says to this process: in order, where it arrives and the process still lives. */
  receive(service: Service, act: () => void): void
  /** Does `act` as this process now; only from an event of the world. How a process is started. */
  run(act: () => void): void
  /** Called when it dies, for what listens in its name elsewhere. */
  onDeath(call: () => void): void
  kill(): void
  /** Its wall clock is set, as by whoever keeps it right. */
  setClock(by: DurationMs): void
  pause(): void
  resume(): void
}

export type Service = 'nats' | 'redis' | 'chain' | 'http' | 'grpc'

/** How likely what goes wrong is, at this moment; all zero in the heal phase. */
export interface Faults {
  readonly healing: boolean
  readonly lostRequest: number
  /** A process's clock is at most this much off when it starts. */
  readonly skewMs: DurationMs
  readonly lostAnswer: number
  readonly duplicate: number
  readonly crashBefore: number
  readonly crashAfter: number
  /** Whether the two cannot talk now: a node's name, or a service. */
  cut(a: string, b: string): boolean
  /** Calls at each change of `cut`. */
  onCut(call: (a: string, b: string, isCut: boolean) => void): void
  /** A message overtakes those that were sent before it. */
  readonly reorder: number
  /** Milliseconds one way, now. */
  latency(): number
}

/** The faults as who makes them sees them. */
export interface Chaos extends Faults {
  /** Nobody but `heal` joins again what this cuts, and the returned function. */
  separate(a: string, b: string): () => void
  /** From now on things go wrong by chance. */
  begin(): void
  /** From now on nothing goes wrong by chance; what is cut stays so. */
  calm(): void
  /** From now on nothing goes wrong any more. */
  heal(): void
}

/** What happened, in order, for people: printed when a seed fails. */
export interface History {
  add(who: string, what: string): void
}

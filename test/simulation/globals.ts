import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import perfHooks from 'node:perf_hooks'
import promises from 'node:timers/promises'
import type { Core } from './core.ts'

/**
 * Time and chance that code takes without asking its ports. While a life runs they are those of the
 * node whose event is under way, so nothing slips by; outside of a life they are the machine's own.
 */
let life: Core | undefined

export const enterLife = (kernel: Core): void => {
  life = kernel
}
export const leaveLife = (): void => {
  life = undefined
}

type Call = (...args: unknown[]) => void
type Start = (call: Call, ...args: unknown[]) => unknown

const real = {
  Date,
  setTimeout: setTimeout as Start,
  clearTimeout,
  setInterval: setInterval as Start,
  clearInterval,
  setImmediate: setImmediate as Start,
  clearImmediate,
  random: Math.random,
  monotonic: performance.now.bind(performance),
  randomBytes: crypto.randomBytes,
  randomUUID: crypto.randomUUID,
  sleep: promises.setTimeout,
  nextTick: process.nextTick.bind(process),
}

/** What a simulated setTimeout gives: enough of Node's. */
class Timer {
  constructor(readonly cancel: () => void) {}
  ref = () => this
  unref = () => this
  hasRef = () => true
}

const after = (kernel: Core, ms: number, call: () => void): (() => void) =>
  kernel.current ? kernel.current.later(ms, call) : kernel.after(ms, call)
const every = (kernel: Core, ms: number, call: () => void): (() => void) => {
  if (!kernel.current) throw new Error('setInterval of nobody: the world has no intervals')
  return kernel.current.clock.every(ms, call)
}

const nowOf = (kernel: Core): number => kernel.current?.clock.now() ?? kernel.now()

const SimDate = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 && life ? [nowOf(life)] : args, newTarget),
  get: (target, key) =>
    key === 'now' && life ? () => nowOf(life!) : Reflect.get(target, key, target),
})

const install = <T>(on: T, replaced: Partial<Record<keyof T, unknown>>): void => {
  Object.assign(on as object, replaced)
}

install(globalThis, {
  Date: SimDate,
  setTimeout: (call: Call, ms = 0, ...args: unknown[]) =>
    life
      ? new Timer(after(life, Math.max(1, ms), () => call(...args)))
      : real.setTimeout(call as Call, ms, ...args),
  setInterval: (call: Call, ms = 0, ...args: unknown[]) =>
    life
      ? new Timer(every(life, ms, () => call(...args)))
      : real.setInterval(call as Call, ms, ...args),
  setImmediate: (call: Call, ...args: unknown[]) =>
    life
      ? new Timer(after(life, 0, () => call(...args)))
      : real.setImmediate(call as Call, ...args),
  clearTimeout: (timer: unknown) => clear(timer, real.clearTimeout),
  clearInterval: (timer: unknown) => clear(timer, real.clearInterval),
  clearImmediate: (timer: unknown) => clear(timer, real.clearImmediate),
})

function clear(timer: unknown, otherwise: (timer: never) => void): void {
  if (timer instanceof Timer) timer.cancel()
  else otherwise(timer as never)
}

install(Math, { random: () => (life ? life.random.next() : real.random()) })
const monotonic = () =>
  life ? (life.current?.clock.monotonic() ?? life.elapsed()) : real.monotonic()
install(performance, { now: monotonic })
install(perfHooks.performance, { now: monotonic })
install(process, {
  // Not queueMicrotask: each of its calls costs Node an asynchronous resource of its own.
  nextTick: (call: Call, ...args: unknown[]) =>
    life ? void Promise.resolve().then(() => call(...args)) : real.nextTick(call, ...args),
})
install(promises, {
  setTimeout: (ms: number, value?: unknown) =>
    life ? new Promise((resolve) => after(life!, ms, () => resolve(value))) : real.sleep(ms, value),
})
install(crypto, {
  randomBytes: (count: number, call?: never) =>
    life && call === undefined
      ? Buffer.from(life.random.bytes(count))
      : real.randomBytes(count, call as never),
  randomUUID: (options?: never) =>
    life ? Buffer.from(life.random.bytes(16)).toString('hex') : real.randomUUID(options),
})
syncBuiltinESMExports()

import type { Log } from '../../telemetry/log.ts'

/** Something that the chain says and that changes slowly. */
export interface Cached<Value> {
  /** Read anew where it is too old; in the background where it is only not fresh. */
  get(): Promise<Value>
  /** What was read last, however old. */
  readonly known: Value | undefined
}

interface Options<Value> {
  readonly what: string
  readonly read: () => Promise<Value>
  /** Older than this it is read anew in the background, while the old value serves on. */
  readonly freshMs: number
  /** Older than this it serves no more. */
  readonly usableMs: number
  readonly log: Log
}

export function makeCached<Value>(options: Options<Value>): Cached<Value> {
  const { what, freshMs, usableMs, log } = options
  let known: { readonly value: Value; readonly at: number } | undefined
  let reading: Promise<Value> | undefined

  const read = (): Promise<Value> => {
    reading ??= options
      .read()
      .then((value) => {
        known = { value, at: performance.now() }
        return value
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  return {
    get: async () => {
      const age = known ? performance.now() - known.at : Number.POSITIVE_INFINITY
      if (!known || age > usableMs) return read()
      if (age > freshMs) read().catch((error) => log.debug({ err: error }, `${what} not read`))
      return known.value
    },
    get known() {
      return known?.value
    },
  }
}

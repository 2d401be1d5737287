import { type LifeEnd, type LifeNeeds, live } from './life.ts'
import { openScripts } from './redis/lua.ts'

export interface Seeds {
  readonly from: number
  readonly count: number
  /** Of one life, in a process of many. */
  readonly mutate?: NonNullable<LifeNeeds['mutate']>
  /** @returns false: enough */
  each(end: LifeEnd): boolean
}

/** Lives one life after the other, each in a task of its own. */
export async function liveSeeds({ from, count, each, mutate }: Seeds): Promise<void> {
  const needs: LifeNeeds = { scripts: await openScripts(), ...(mutate ? { mutate } : {}) }
  const broken: unknown[] = []
  const note = (error: unknown) => broken.push(error)
  process.on('unhandledRejection', note)
  // A stack costs more than the error it belongs to.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = count === 1 ? stackTraceLimit : 0
  try {
    for (let seed = from; seed < from + count; seed++) {
      const end = await inATask(() => live(seed, needs))
      // Promises that broke and that nobody looked after are told of once the task is over.
      await inATask(() => {})
      const failures = [
        ...end.failures,
        ...broken.splice(0).map((error) => `nobody caught ${error}`),
      ]
      if (!each({ ...end, failures })) return
    }
  } finally {
    process.off('unhandledRejection', note)
    Error.stackTraceLimit = stackTraceLimit
  }
}

const inATask = <T>(act: () => T): Promise<T> =>
  new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(act())
      } catch (error) {
        reject(error)
      }
    })
  })

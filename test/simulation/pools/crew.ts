import type { World } from '../world.ts'
import type { PoolNode } from './pool-node.ts'
import { Worker } from './worker.ts'
import { kindsOf } from './worker-plan.ts'

export interface CrewOptions {
  readonly count: number
  readonly models: readonly string[]
  /** Canary jobs come before paid ones. */
  readonly isTried: boolean
  /** Those that can be dialled now. */
  pools(): readonly PoolNode[]
  signed(jobId: string, text: string): void
}

/** The workers of a life. All serve all models but for now and then one that serves a single one. */
export function startCrew(world: World, options: CrewOptions): readonly Worker[] {
  const { random } = world
  const kinds = kindsOf(random, options.count)
  return kinds.map((kind, i) => {
    const models = i > 0 && random.chance(0.3) ? [random.pick(options.models)] : [...options.models]
    const slots = random.between(1, 3)
    const worker = new Worker(world, { ...options, number: i + 1, kind, models, slots })
    world.history.add(worker.name, `is ${kind}, ${slots} slots, address ${worker.identity.address}`)
    worker.start()
    return worker
  })
}

import type { Role } from '../../network/network.ts'
import type { World } from '../world.ts'

/** One thing that goes wrong, and right again. */
export interface Fault {
  readonly name: string
  readonly world: WorldKind
  /** What NATS must be for it; left out: either. */
  readonly nats?: 'one server' | 'cluster'
  /** What connections of callers may suffer by it; nothing where left out. */
  readonly mayLose?: readonly ('not taken' | 'broken')[]
  /** Does it and undoes it. */
  run(world: World, turn: Turn): Promise<Undone>
}

export type WorldKind = 'usual' | 'long window' | 'small disk'

export interface Undone {
  /** performance.now() from which the network should find its way back. */
  readonly from: number
  /** More than new answers: until all that should run does. */
  back?(): Promise<unknown>
  /** What an operator would write down. */
  readonly note?: string
}

export interface Turn {
  /** From 0. */
  readonly index: number
}

export const FAULT_MS = 8_000
export const BACK_MS = 60_000

/** Every third time all processes of the role, else one after the other. */
export function victims(world: World, role: Role, { index }: Turn): readonly number[] {
  const pids = world.network.pids(role)
  if (pids.length === 0) throw new Error(`no ${role} is running`)
  return index % 3 === 2 ? pids : [pids[index % pids.length]!]
}

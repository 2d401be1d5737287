import type { World, WorldOptions } from '../world.ts'
import { chainFaults } from './chain.ts'
import { clockFaults } from './clocks.ts'
import { clusterFaults } from './cluster.ts'
import { cutFaults } from './cuts.ts'
import type { Fault, WorldKind } from './fault.ts'
import { processFaults } from './processes.ts'
import { serverFaults } from './servers.ts'

/** Those that find most come first. */
export const FAULTS: readonly Fault[] = [
  ...clusterFaults,
  ...cutFaults,
  ...serverFaults,
  ...chainFaults,
  ...clockFaults,
  ...processFaults,
]

/** A clock that is wrong by a minute is looked at under the specification's window. */
export const WORLDS: Readonly<Record<WorldKind, WorldOptions>> = {
  usual: { windowSeconds: 20 },
  'long window': { windowSeconds: 120 },
  'small disk': { windowSeconds: 20, smallDiskMegabytes: 384 },
}

export type { Fault, World }

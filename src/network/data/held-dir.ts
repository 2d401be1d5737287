import { mkdirSync, rmSync } from 'node:fs'
import { claimPids, endLeftovers, writePids } from '../processes/pid-file.ts'
import type { Running } from '../processes/supervisor.ts'
import type { Screen } from '../screen.ts'
import { type DataDir, openDataDir, requireOwn } from './data-dir.ts'
import { type NetworkFacts, writeNetworkFile } from './network-file.ts'

/** A data directory, and what it tells of the network that runs from it. */
export interface HeldDir {
  /** @throws where another launcher holds it, or it is no network's */
  take(fresh: boolean): Promise<void>
  /** Tells tools where everything is, from now on. */
  tell(facts: NetworkFacts): void
  /** To be called whenever another process runs than before. Until it is taken nothing is written. */
  record(): void
  /** Nothing runs from it any more. */
  leave(): void
}

interface Options {
  readonly dir: DataDir
  readonly screen: Screen
  running(): readonly Running[]
}

/** One launcher at a time writes into a directory, and what it wrote of itself goes with it. */
export function makeHeldDir({ dir, screen, running }: Options): HeldDir {
  let held = false
  /** Known once the network is ready. */
  let facts: NetworkFacts | undefined

  function record(): void {
    if (!held) return
    writePids(dir.pidsFile, running())
    if (facts) writeNetworkFile(dir.networkFile, facts, running())
  }

  return {
    take: async (fresh) => {
      const leftovers = await endLeftovers(dir.pidsFile)
      if (leftovers.length > 0) {
        screen.note(`✓ ended what was left running: ${leftovers.join(', ')}`)
      }
      requireOwn(dir, fresh)
      // First: to remove what was there takes seconds, in which a second start would find nobody here.
      mkdirSync(dir.path, { recursive: true })
      claimPids(dir.pidsFile)
      held = true
      openDataDir(dir, fresh)
      // A file of before would tell of processes that are gone.
      rmSync(dir.networkFile, { force: true })
    },
    tell: (known) => {
      facts = known
      record()
    },
    record,
    leave: () => {
      if (!held) return
      held = false
      for (const file of [dir.networkFile, dir.pidsFile]) rmSync(file, { force: true })
    },
  }
}

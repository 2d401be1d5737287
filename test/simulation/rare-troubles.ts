import type { DurationMs } from '../../src/domain/time.ts'
import type { SimChain } from './chain/chain.ts'
import { NodeTroubles, type TroubleTerms } from './chain/node-troubles.ts'
import type { Kernel } from './kernel.ts'
import type { SimNats } from './nats/server.ts'
import type { Processes } from './processes.ts'
import { makeRandom } from './random.ts'
import type { Random } from './world.ts'

interface Options {
  readonly nats: SimNats
  readonly chain: SimChain
  readonly processes: Processes
  readonly withinMs: DurationMs
}

/** Their chance is one of their own: a life that knows none of them is what it was before there were any. */
const OWN_CHANCE = 0x5bd1e995
const EACH = 0.05
/** By `ping_interval` and `ping_max` of `deploy/nats.conf`, and sooner. */
const NOTICES_DEATH_MS = [2_000, 10_000, 30_000] as const
/** A watch of a bucket hears no heartbeat, and notices that by the second one. */
const STALLED_MS = [200, 2_200] as const
const STALLS_MOST = 6
/** No node is further behind than lanes and watcher allow for. */
const BEHIND_BLOCKS_MOST = 4
const LATE_SECONDS = [0, 1, 2, 5, 10] as const

/** In few lives servers and nodes do what chance alone would never make of all the other troubles. */
export function planRareTroubles(kernel: Kernel, options: Options): void {
  const random = makeRandom(kernel.seed ^ OWN_CHANCE)
  const { nats, chain } = options
  if (random.chance(EACH)) {
    nats.noticesDeathMs = random.pick(NOTICES_DEATH_MS)
    tell(kernel, `nats notices a death after ${nats.noticesDeathMs} ms`)
  }
  if (random.chance(EACH)) planStalls(kernel, random, options)
  const terms: TroubleTerms = {
    ...(random.chance(EACH) && {
      behind: {
        share: random.pick([0.1, 0.3, 0.5]),
        blocks: random.between(1, BEHIND_BLOCKS_MOST),
      },
    }),
    ...(random.chance(EACH) && {
      receipts: { lateSeconds: random.pick(LATE_SECONDS), missing: random.pick([0, 0.2, 0.5]) },
    }),
    ...(random.chance(EACH) && { refused: random.pick([0.01, 0.05, 0.2]) }),
  }
  if (Object.keys(terms).length === 0) return
  tell(kernel, `of nodes: ${JSON.stringify(terms)}`)
  chain.troubles = new NodeTroubles(kernel, chain, random, terms)
}

function planStalls(kernel: Kernel, random: Random, { nats, processes, withinMs }: Options): void {
  for (let n = random.between(1, STALLS_MOST); n > 0; n--) {
    const name = random.pick(processes.names)
    const lastsMs = random.between(...STALLED_MS)
    kernel.after(random.next() * withinMs, () => {
      if (kernel.faults.healing) return
      nats.stalled.add(name)
      tell(kernel, `the watches of ${name} stall for ${lastsMs} ms`)
      kernel.after(lastsMs, () => nats.stalled.delete(name))
    })
  }
}

const tell = (kernel: Kernel, what: string): void => kernel.history.add('world', what)

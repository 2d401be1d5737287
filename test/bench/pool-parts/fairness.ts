import { percentile } from '../drive.ts'
import { openRig, type Timed, targetOf, walletNumber } from './rig.ts'

const SLOTS = 8
const SPAN_MS = 20_000
/** Jobs that each wallet keeps open. */
const OPEN = { greedy: 200, modest: 2 }
const MODEST_WALLETS = 4

interface Done extends Timed {
  readonly isGreedy: boolean
}

/** One wallet that floods a pool of few slots, and four that ask for little. */
export async function fairness() {
  const rig = await openRig()
  try {
    const pool = await rig.pool('p')
    await rig.agents({ pools: [targetOf(pool)], count: 2, slots: SLOTS / 2, tokenMs: 10 })
    await rig.until('the workers', () => rig.workersOf('p') === 2)
    const done: Done[] = []
    const until = performance.now() + SPAN_MS
    const lane = async (wallet: number) => {
      while (performance.now() < until) {
        const timed = await rig.run('p', walletNumber(wallet))
        if (timed.ended <= until) done.push({ ...timed, isGreedy: wallet === 0 })
      }
    }
    const lanes = Array.from({ length: OPEN.greedy }, () => lane(0))
    for (let wallet = 1; wallet <= MODEST_WALLETS; wallet++) {
      for (let n = 0; n < OPEN.modest; n++) lanes.push(lane(wallet))
    }
    // What the greedy one still has open is of no interest.
    await Promise.race([Promise.all(lanes), new Promise((r) => setTimeout(r, SPAN_MS + 100))])
    for (const each of lanes) each.catch(() => undefined)
    const row = (isGreedy: boolean, wallets: number) => {
      const of = done.filter((each) => each.isGreedy === isGreedy)
      const waitedMs = of.map(({ offered, firstChunk }) => firstChunk - offered)
      waitedMs.sort((a, b) => a - b)
      return {
        wallets,
        'open jobs each': isGreedy ? OPEN.greedy : OPEN.modest,
        'jobs done': of.length,
        'share, %': Math.round((of.length / done.length) * 1_000) / 10,
        'a wallet, %': Math.round((of.length / done.length / wallets) * 1_000) / 10,
        'first text p50, ms': Math.round(percentile(waitedMs, 0.5)),
        'first text p99, ms': Math.round(percentile(waitedMs, 0.99)),
      }
    }
    return { greedy: row(true, 1), modest: row(false, MODEST_WALLETS) }
  } finally {
    await rig.close()
  }
}

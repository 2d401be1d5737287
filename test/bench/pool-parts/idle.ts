import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMsOfTree, residentBytes } from '../resources.ts'
import { openRig, targetOf } from './rig.ts'

const WORKERS = 1_000
const PROCESSES = 4
const SPAN_MS = 30_000
/** Until what only their coming cost is over. */
const CALM_MS = 5_000

/** What a pool process holds and burns for workers that only wait for jobs. */
export async function idle() {
  const rig = await openRig()
  try {
    const pool = await rig.pool('p')
    await sleep(CALM_MS)
    const empty = residentBytes(pool.pid)
    const pools = [targetOf(pool)]
    const count = WORKERS / PROCESSES
    const began = performance.now()
    await Promise.all(
      Array.from({ length: PROCESSES }, (_, i) =>
        rig.agents({ pools, count, firstKey: 1 + i * count }),
      ),
    )
    await rig.until('all workers', () => rig.workersOf('p') === WORKERS, 120_000)
    const joinedMs = performance.now() - began
    await sleep(CALM_MS)
    const cpu = cpuMsOfTree(pool.pid)
    await sleep(SPAN_MS)
    const share = (cpuMsOfTree(pool.pid) - cpu) / SPAN_MS
    const full = residentBytes(pool.pid)
    if (rig.workersOf('p') !== WORKERS) throw new Error('workers were lost while nothing happened')
    return {
      [`${WORKERS} workers`]: {
        'seconds to join': Math.round(joinedMs / 100) / 10,
        'resident, MiB': Math.round(full / 2 ** 20),
        'without workers, MiB': Math.round(empty / 2 ** 20),
        'a worker, KiB': Math.round((full - empty) / WORKERS / 1_024),
        'CPU, % of a core': Math.round(share * 1_000) / 10,
        'a worker, CPU ms/s': Math.round((share * 1_000_000) / WORKERS) / 1_000,
      },
    }
  } finally {
    await rig.close()
  }
}

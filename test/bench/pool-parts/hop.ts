import { percentile } from '../drive.ts'
import { cpuMsOfTree } from '../resources.ts'
import { openRig, type Rig, targetOf } from './rig.ts'

const LOADS = [
  { concurrency: 1, jobs: 100 },
  { concurrency: 64, jobs: 2_000 },
]
const WARM_UP = { concurrency: 64, jobs: 1_000 }
/** A job is 20 words in 200 ms: at 64 open jobs the machine is busy, and not flooded. */
const TOKEN_MS = 10

/**
 * From the offer on NATS to the first text at the edge's inbox: the pool reads the prompt, offers the job over
 * gRPC, and passes on what comes. The engine has its first word at once, so all of it is the hop.
 */
export async function hop() {
  const rig = await openRig()
  try {
    const pool = await rig.pool('p')
    await rig.agents({ pools: [targetOf(pool)], count: 4, slots: 32, tokenMs: TOKEN_MS })
    await rig.until('the workers', () => rig.workersOf('p') === 4)
    await drive(rig, WARM_UP)
    const rows: Record<string, object> = {}
    for (const load of LOADS) {
      const cpu = cpuMsOfTree(pool.pid)
      const began = performance.now()
      const firstMs = await drive(rig, load)
      const seconds = (performance.now() - began) / 1_000
      rows[`at ${load.concurrency}`] = {
        'first text p50, ms': round(percentile(firstMs, 0.5)),
        'first text p99, ms': round(percentile(firstMs, 0.99)),
        'jobs/s': Math.round(load.jobs / seconds),
        // With little to do, what a pool burns while it waits is most of it.
        ...(load.concurrency > 1 && {
          'CPU of the pool, ms/job': round((cpuMsOfTree(pool.pid) - cpu) / load.jobs),
        }),
      }
    }
    return rows
  } finally {
    await rig.close()
  }
}

/** @returns milliseconds to the first text, ascending */
async function drive(rig: Rig, load: { concurrency: number; jobs: number }): Promise<number[]> {
  const firstMs: number[] = []
  let left = load.jobs
  const lane = async () => {
    while (left-- > 0) {
      const { offered, firstChunk } = await rig.run('p')
      firstMs.push(firstChunk - offered)
    }
  }
  await Promise.all(Array.from({ length: load.concurrency }, lane))
  return firstMs.sort((a, b) => a - b)
}

const round = (value: number): number => Math.round(value * 100) / 100

import { openRig, targetOf } from './rig.ts'

const AGENTS = 90
const PROCESSES = 3
const PATIENCE_MS = 60_000

/** Two pools with ninety agents between them: one is killed, and its agents look for the other. */
export async function lostPool() {
  const rig = await openRig()
  try {
    const [first, second] = await Promise.all([rig.pool('a'), rig.pool('b')])
    const pools = [targetOf(first), targetOf(second)]
    const count = AGENTS / PROCESSES
    await Promise.all(
      Array.from({ length: PROCESSES }, (_, i) =>
        rig.agents({ pools, count, firstKey: 1 + i * count }),
      ),
    )
    await rig.until('all agents', () => rig.workersOf('a') + rig.workersOf('b') === AGENTS)
    const [lost, stayed] = [rig.workersOf('a'), rig.workersOf('b')]
    const began = performance.now()
    first.kill()
    const back = async (share: number): Promise<number> => {
      const wanted = stayed + Math.ceil(lost * share)
      await rig.until(`${wanted} agents`, () => rig.workersOf('b') >= wanted, PATIENCE_MS)
      return Math.round((performance.now() - began) / 10) / 100
    }
    const half = await back(0.5)
    return { 'kill -9': { lost, 'half back, s': half, 'all back, s': await back(1) } }
  } finally {
    await rig.close()
  }
}

// What the processes of a network hold in memory after more and more plain requests, 64 at once: whether it
// ends somewhere. `npm run bench -- memory`; BENCH_ROUNDS loads (10), BENCH_JSON names a file for the figures.
import type { Network } from '../network/network.ts'
import { LOAD, plainCosts, saveFigures, withPlainNetwork } from './plain-costs.ts'
import { residentBytes } from './resources.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 10)
const MEBIBYTE = 1024 * 1024

await withPlainNetwork([], async (plain) => {
  const rows = []
  for (let round = 1; round <= ROUNDS; round++) {
    const costs = await plainCosts(plain)
    const { 'requests/s': perSecond, failed, service } = costs
    rows.push({
      requests: round * LOAD.requests,
      perSecond,
      failed,
      service,
      ...held(plain.network),
    })
  }
  console.log(
    'MiB by role; requests a second, and CPU milliseconds of all service roles a request\n',
  )
  console.table(rows)
  saveFigures(rows)
})

function held(network: Network): Record<string, number> {
  const byRole: Record<string, number> = {}
  for (const { role, pid } of network.read().processes) {
    byRole[role] = (byRole[role] ?? 0) + Math.round(residentBytes(pid) / MEBIBYTE)
  }
  return byRole
}

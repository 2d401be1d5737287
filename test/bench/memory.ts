// What the processes of a network hold in memory after more and more plain requests, 64 at once: whether it
// ends somewhere. `npm run bench -- memory`; BENCH_ROUNDS loads (10), BENCH_JSON names a file for the figures.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Network } from '../network/network.ts'
import { startTelling } from './peers/processes.ts'
import { plainCosts, withPlainNetwork } from './plain-costs.ts'
import { residentBytes } from './resources.ts'

const LOAD = { requests: 4_000, concurrency: 64, stream: false }
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 10)
const MEBIBYTE = 1024 * 1024

const upstream = await startTelling(
  ['--import', 'tsx', join(import.meta.dirname, 'mock-upstream.ts')],
  {},
)
try {
  await withPlainNetwork(upstream.url, [], async (plain) => {
    const rows = []
    for (let round = 1; round <= ROUNDS; round++) {
      const costs = await plainCosts(plain, LOAD)
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
    const file = process.env.BENCH_JSON
    if (file) writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`)
  })
} finally {
  upstream.stop()
}

function held(network: Network): Record<string, number> {
  const byRole: Record<string, number> = {}
  for (const { role, pid } of network.read().processes) {
    byRole[role] = (byRole[role] ?? 0) + Math.round(residentBytes(pid) / MEBIBYTE)
  }
  return byRole
}

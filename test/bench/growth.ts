// How what a plain request costs grows from one to two edges, actor hosts and pools: requests a second, and
// CPU, messages and Redis commands of each request. `npm run bench -- growth`; BENCH_JSON names a file for
// the figures. Where all processes share the same cores, two of a role cannot answer more than one: what to
// look at is whether a request costs more once there are two.
import { plainCosts, saveFigures, withPlainNetwork } from './plain-costs.ts'

const RUNS = 2
const LAYOUTS = {
  'one of each': [],
  'two edges': ['--edges', '2'],
  'two actor hosts': ['--actors', '2'],
  'two pools': ['--pools', '2'],
  'two of each': ['--edges', '2', '--actors', '2', '--pools', '2'],
}

const rows: Record<string, Awaited<ReturnType<typeof plainCosts>>> = {}
for (const [layout, flags] of Object.entries(LAYOUTS)) {
  await withPlainNetwork(flags, async (plain) => {
    for (let run = 1; run <= RUNS; run++) rows[`${layout}, ${run}`] = await plainCosts(plain)
  })
}
console.table(rows)
saveFigures(rows)

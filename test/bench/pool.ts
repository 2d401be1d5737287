// What a pool costs and how it holds, in five parts: `npm run bench -- pool` runs them all in about three
// minutes, `npm run bench -- pool hop` one of them by its name.
import { writeFileSync } from 'node:fs'
import { fairness } from './pool-parts/fairness.ts'
import { hop } from './pool-parts/hop.ts'
import { idle } from './pool-parts/idle.ts'
import { lostPool } from './pool-parts/lost-pool.ts'
import { lostWorker } from './pool-parts/lost-worker.ts'

type Rows = Readonly<Record<string, object>>

const PARTS: Readonly<Record<string, { title: string; run: () => Promise<Rows> }>> = {
  hop: { title: 'What the hop over the pool adds before the first word', run: hop },
  idle: { title: 'Workers that wait for jobs, half a minute', run: idle },
  fairness: { title: 'A greedy wallet beside four modest ones, 8 slots', run: fairness },
  'lost-worker': { title: 'kill -9 of one of ten workers under load', run: lostWorker },
  'lost-pool': { title: 'kill -9 of one of two pools with 90 agents', run: lostPool },
}

const [, , , only] = process.argv
if (only !== undefined && !PARTS[only]) {
  throw new Error(`there is no part ${only}: it is one of ${Object.keys(PARTS).join(', ')}`)
}
const results: Record<string, Rows> = {}
for (const [name, { title, run }] of Object.entries(PARTS)) {
  if (only !== undefined && name !== only) continue
  console.log(`\n${title}\n`)
  const rows = await run()
  console.table(rows)
  results[name] = rows
}
// For machines: the same figures as JSON, where BENCH_JSON names a file.
const file = process.env.BENCH_JSON
if (file) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)

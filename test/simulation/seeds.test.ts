import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { liveSeeds } from './seeds.ts'

/** Each run begins elsewhere, so that many runs see many lives; a failure names its seed. */
const FIRST = 1 + (Math.floor(Date.now() / 1_000) % 10_000_000)
const CPU_MS = 90_000
const REAL_MS = 150_000
const COUNT_LEAST = 3
const HISTORY_LINES = 60

const Seeds = suite(`lives from seed ${FIRST} on`)

Seeds('all come to rest, and nobody was told what is not so', async () => {
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const spentMs = () => {
    const { user, system } = process.cpuUsage(cpu)
    return (user + system) / 1_000
  }
  let lives = 0
  let jobs = 0
  const failed: string[] = []
  await liveSeeds({
    from: FIRST,
    count: Number.MAX_SAFE_INTEGER - FIRST,
    each: (end) => {
      lives++
      jobs += end.jobs
      for (const failure of end.failures) {
        failed.push(
          [
            ...end.history.lines.slice(-HISTORY_LINES),
            `seed ${end.seed}: ${failure}`,
            `again: npm run simulate -- --seeds 1 --from ${end.seed} --history`,
          ].join('\n'),
        )
      }
      return failed.length === 0 && spentMs() < CPU_MS && performance.now() - startedAt < REAL_MS
    },
  })
  assert.is(failed.join('\n'), '')
  assert.ok(lives >= COUNT_LEAST, `only ${lives} lives in this time`)
  assert.ok(jobs > lives / 4, `only ${jobs} jobs in ${lives} lives`)
})

Seeds.run()

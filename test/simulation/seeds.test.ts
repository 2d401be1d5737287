import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { liveSeeds } from './seeds.ts'

/** The same lives each time: who looks for new ones runs `npm run simulate` from another seed. */
const FIRST = 1
const COUNT = 200
const HISTORY_LINES = 60

const Seeds = suite(`lives from seed ${FIRST} on`)

Seeds('all come to rest, and nobody was told what is not so', async () => {
  let lives = 0
  let jobs = 0
  const failed: string[] = []
  await liveSeeds({
    from: FIRST,
    count: COUNT,
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
      return failed.length === 0
    },
  })
  assert.is(failed.join('\n'), '')
  assert.is(lives, COUNT)
  assert.ok(jobs > lives / 4, `only ${jobs} jobs in ${lives} lives`)
})

Seeds.run()

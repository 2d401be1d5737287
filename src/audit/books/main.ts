import { setTimeout as pause } from 'node:timers/promises'
import { connectChain } from '../chain/connect.ts'
import { runCommand } from '../command-line.ts'
import { look } from './look.ts'
import { lookTwice } from './look-twice.ts'
import { parseOptions, USAGE } from './options.ts'
import { inJson, inWords } from './report.ts'

/** `npm run audit`: chain, journal and views, held against one another. */

const PAUSE_MS = 1_000

await runCommand(async () => {
  const options = parseOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(USAGE)
    return 0
  }
  const { where, natsUrl, redisUrl, patienceMs, json } = options
  const chain = await connectChain(where)
  const looked = await lookTwice({
    look: () => look({ chain, natsUrl, redisUrl }),
    patienceMs,
    pauseMs: PAUSE_MS,
    now: () => performance.now(),
    pause,
  })
  process.stdout.write(json ? inJson(looked) : inWords(looked))
  return looked.standing.length === 0 ? 0 : 1
})

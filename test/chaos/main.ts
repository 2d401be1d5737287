import { parseOptions, USAGE } from './options.ts'
import { Session } from './session.ts'

/**
 * `npm run chaos`: each fault again and again on a real network under load. `npm run soak`: for so many
 * minutes, with faults at random. After each fault `npm run audit` must be clean, and every answer that
 * a caller got must be what chain and job say.
 */

const options = parseOptions(process.argv.slice(2))
if (options === 'help') {
  process.stdout.write(USAGE)
  process.exit(0)
}

const session = new Session(options)
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => reject(new Error(`ended by ${signal}`)))
  }
})
interrupted.catch(() => {})
// Its failure after an end from outside is of no use to anyone.
const work = options.minutes === undefined ? session.chaos() : session.soak(options.minutes)
work.catch(() => {})
try {
  await Promise.race([work, interrupted])
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  await session.giveUp()
} finally {
  session.end()
  session.write()
  process.stdout.write(`\n${session.inWords()}\n`)
}
process.exit(session.isClean ? process.exitCode : 1)

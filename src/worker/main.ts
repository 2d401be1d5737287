import 'reflect-metadata'
import { printedConfig } from '../config/print.ts'
import { main } from '../config/process.ts'
import { workerSchema } from '../config/worker-schema.ts'
import { AGENT_VERSION } from '../domain/version.ts'
import { parseArguments } from './cli/arguments.ts'
import { helpText } from './cli/help.ts'
import { givenSettings, readSettings } from './cli/settings.ts'
import { drain } from './commands/drain.ts'
import { keys } from './commands/keys.ts'
import { register } from './commands/register.ts'
import { run } from './commands/run.ts'
import { claim, stake, unstake, withdraw } from './commands/stake.ts'
import { status } from './commands/status.ts'

main(async () => {
  const parsed = parseArguments(process.argv.slice(2))
  const { command, operands, flags, file, json } = parsed
  if (parsed.help) return say(helpText())
  if (parsed.version) return say(AGENT_VERSION)
  const given = { flags, env: process.env, file }
  if (parsed.printConfig) {
    say(printedConfig('worker', workerSchema, givenSettings(given).values))
  }
  const settings = readSettings(given)
  if (parsed.printConfig) return
  const [operand = ''] = operands
  switch (command) {
    case 'run':
      return run(settings, json)
    case 'register':
      return finish(await register(settings))
    case 'status':
      return finish(await status(settings, json))
    case 'drain':
      return finish(await drain(settings))
    case 'stake':
      return finish(await stake(settings, operand))
    case 'unstake':
      return finish(await unstake(settings, operand))
    case 'withdraw':
      return finish(await withdraw(settings))
    case 'claim':
      return finish(await claim(settings))
    case 'keys':
      return finish(await keys(settings, operand))
  }
})

/** Ends the process with its answer written, whatever connections are still open. */
function finish(text: string): void {
  process.stdout.write(`${text}\n`, () => process.exit(0))
}

function say(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`)
}

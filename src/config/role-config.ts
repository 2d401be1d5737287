import type { z } from 'zod'
import { refuseMisspelt } from './misspelt.ts'
import { printedConfig } from './print.ts'
import { type AnySchema, ConfigError, readConfig } from './read.ts'

const PRINT = '--print-config'

/**
 * The settings of a role that is being started, from the environment. With `--print-config` they are
 * shown and the process ends.
 * @throws {ConfigError} naming what is wrong, or unknown
 */
export function roleConfig<Schema extends AnySchema>(
  role: string,
  schema: Schema,
  { argv, env, stdout } = process,
): Readonly<z.infer<Schema>> {
  const flags = argv.slice(2)
  const unknown = flags.find((flag) => flag !== PRINT)
  if (unknown !== undefined) {
    throw new ConfigError(
      `${role} does not know ${unknown}: settings are environment variables, and ${PRINT} shows them`,
    )
  }
  // Shown before it is judged: it may be looked at because it is refused.
  if (flags.includes(PRINT)) stdout.write(printedConfig(role, schema, env))
  refuseMisspelt(env)
  const config = readConfig(schema, env)
  if (flags.includes(PRINT)) process.exit(0)
  return config
}

import { z } from 'zod'

export class ConfigError extends Error {}

/**
 * Reads a role's configuration from the environment, once, at start.
 * @throws {ConfigError} naming each variable that is wrong and what it should hold
 */
export function readConfig<Schema extends z.ZodObject>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<z.infer<Schema>> {
  // An empty variable means "not set": that is how shells and compose files leave one out.
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  )
  const parsed = schema.safeParse(given)
  if (parsed.success) return Object.freeze(parsed.data)
  const lines = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0])
    const about = schema.shape[name]?.description
    return `  ${name}: ${issue.message}${about ? ` (${about})` : ''}`
  })
  throw new ConfigError(`configuration is not usable:\n${lines.join('\n')}`)
}

export const port = (fallback: number) =>
  z.coerce.number().int().min(0).max(65_535).default(fallback)
export const wholeNumber = (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().min(min).max(max).default(fallback)
export const privateKey = () =>
  z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hexadecimal digits')
export const address = () =>
  z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hexadecimal digits')

import { refuseMisspelt } from '../../../src/config/misspelt.ts'
import { type AnySchema, readConfig } from '../../../src/config/read.ts'
import { actorsSchema, edgeSchema, poolSchema } from '../../../src/config/schema.ts'
import { webSchema } from '../../../src/config/web-schema.ts'
import { workerSchema } from '../../../src/config/worker-schema.ts'

export type Env = Readonly<Record<string, string>>

/** What each command of the image reads. */
const SCHEMAS: Readonly<Record<string, AnySchema>> = {
  'src/edge/main.js': edgeSchema,
  'src/web/main.js': webSchema,
  'src/pool/main.js': poolSchema,
  'actors/main.js': actorsSchema,
  'src/worker/main.js': workerSchema,
}
export const COMMANDS = Object.keys(SCHEMAS)

/** As the role would read it. @throws where it would not start */
export function started(command: string, env: Env): Readonly<Record<string, unknown>> {
  const schema = SCHEMAS[command]
  if (!schema) throw new Error(`the image has no ${command}`)
  refuseMisspelt(env)
  return readConfig(schema, env)
}

/** Names that a role would leave unread. */
export const unreadBy = (command: string, env: Env): string[] =>
  Object.keys(env).filter((name) => !(name in (SCHEMAS[command]?.shape ?? {})))

/** `NAME=value` a line, as docker and kubectl read it. */
export const envOf = (text: string): Env =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const at = line.indexOf('=')
        return [line.slice(0, at), line.slice(at + 1)]
      }),
  )

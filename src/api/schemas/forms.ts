import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TIERS } from '../../domain/tiers.ts'

/** Small schemas that many fields share. Descriptions are Markdown, shown in the reference. */

type About = string

/** One of a few words. */
export const oneOf = <const Word extends string>(words: readonly Word[], description: About) =>
  Type.Unsafe<Word>({ type: 'string', enum: words, description })

/** The same, or null. */
export const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>(
    typeof schema.type === 'string' && schema.title === undefined
      ? orNull(schema)
      : { anyOf: [schema, { type: 'null' }] },
  )

/** One value alone becomes one of two: beside `const` no other type lets null pass. */
function orNull({ const: only, enum: several, ...schema }: TSchema) {
  const words = several ?? (only === undefined ? undefined : [only])
  return { ...schema, type: [schema.type, 'null'], ...(words && { enum: [...words, null] }) }
}

const pattern = (source: string, example: string) => (description: About) =>
  Type.String({ pattern: source, description, examples: [example] })

const JOB = 'job_01h8xg3kz9v4t6m2c7q5n0r8wy'
export const jobId = pattern('^job_[0-9a-z]{26}$', JOB)
export const completionId = pattern('^chatcmpl-job_[0-9a-z]{26}$', `chatcmpl-${JOB}`)
export const address = pattern('^0x[0-9a-f]{40}$', `0x${'1f'.repeat(20)}`)
export const txHash = pattern('^0x[0-9a-f]{64}$', `0x${'a4'.repeat(32)}`)
export const publicHash = pattern('^sha256:[0-9a-f]{64}$', `sha256:${'9c'.repeat(32)}`)

/** ISO 8601 in UTC. */
export const timestamp = (description: About) =>
  Type.String({ format: 'date-time', description, examples: ['2026-06-01T12:00:00.000Z'] })
export const unixSeconds = (description: About) => Type.Integer({ minimum: 0, description })
export const count = (description: About) => Type.Integer({ minimum: 0, description })
export const usdg = (description: About) => Type.Number({ minimum: 0, description })
export const tier = (description: About) => oneOf(TIERS, description)
export const modelId = (description: About) =>
  Type.String({ minLength: 1, description, examples: ['Qwen/Qwen3-8B'] })

const shown = Symbol('shown')

/** Validates as `schema`; the documentation shows `instead`. */
export const shownAs = <Schema extends TSchema>(schema: Schema, instead: TSchema): Schema => ({
  ...schema,
  [shown]: instead,
})

/** Passes anything: code checks it, because its refusal can say more than a schema's can. */
export const unchecked = Type.Optional(Type.Unknown())
export const checkedByHand = (schema: TSchema) => shownAs(unchecked, schema)

/** A field that may be left out. Clients send null for that too: it is dropped before validation. */
export const given = <Schema extends TSchema>(schema: Schema) =>
  shownAs(Type.Optional(schema), nullable(schema))

/** What the documentation shows in place of `schema`, if that is something else. */
export const shownInstead = (schema: object): object | undefined =>
  shown in schema && typeof schema[shown] === 'object' ? (schema[shown] ?? undefined) : undefined

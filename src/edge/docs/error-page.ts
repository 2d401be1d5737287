import { ERRORS, type ErrorCode } from '../../domain/errors.ts'
import { SchemaObjects } from '../openapi/schema-object.ts'
import { ERROR_DETAILS } from '../schemas/error.ts'
import { componentOf, fieldTable, table } from './field-table.ts'

const CODES = Object.keys(ERRORS) as ErrorCode[]

const RETRY = {
  no: 'No: the same request fails the same way.',
  yes: 'Yes: trying again usually succeeds.',
  wait: 'Yes, after as many seconds as the `retry-after` header says.',
} as const

/** Every code under a heading of its own, from the one table: none can be missing. Markdown. */
export const errorSections = (): string => CODES.map(section).join('\n\n')

function section(code: ErrorCode): string {
  const { status, type, when, todo, retry } = ERRORS[code]
  return [
    `### ${code}`,
    `Status ${status} · type \`${type}\``,
    `**When.** ${when}`,
    `**What to do.** ${todo}`,
    `**Retry.** ${RETRY[retry]}`,
    ...details(code),
  ].join('\n\n')
}

function details(code: ErrorCode): string[] {
  if (!hasDetails(code)) return []
  const schemas = new SchemaObjects()
  const name = componentOf(schemas.of(ERROR_DETAILS[code])) ?? ''
  return ['**Fields of `details`.**', fieldTable(schemas.components[name] ?? {})]
}

const hasDetails = (code: ErrorCode): code is keyof typeof ERROR_DETAILS =>
  Object.hasOwn(ERROR_DETAILS, code)

/** All codes at a glance. Markdown. */
export const errorOverview = (): string =>
  table(
    ['Status', 'Code', 'Type', 'Retry'],
    CODES.map((code) => {
      const { status, type, retry } = ERRORS[code]
      return [`${status}`, `[\`${code}\`](#${code})`, `\`${type}\``, retry === 'no' ? 'no' : 'yes']
    }),
  )

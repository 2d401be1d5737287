import { refuse } from '../../api/http/errors.ts'

const LIMIT_DEFAULT = 20
const LIMIT_MOST = 100

export type Query = Readonly<Record<string, string | string[] | undefined>>

/** How many entries a page shall have. @throws {RefusalError} invalid_request */
export function limitOf({ limit: text }: Query): number {
  if (text === undefined) return LIMIT_DEFAULT
  const limit = /^\d{1,3}$/.test(String(text)) ? Number(text) : 0
  if (limit >= 1 && limit <= LIMIT_MOST) return limit
  const message = `\`limit\` must be a whole number from 1 to ${LIMIT_MOST}.`
  throw refuse('invalid_request', message, { param: 'limit' })
}

import { LIMITS } from '../../domain/limits.ts'
import { FLAT_OUTPUT_TOKENS } from '../../domain/pricing.ts'
import { assert } from '../../domain/result.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import { TIER_PRICES, TIERS } from '../../domain/tiers.ts'
import { SOME_ORIGIN } from '../http/base-url.ts'
import type { OpenApi } from '../openapi/shape.ts'
import { inNames } from '../openapi/written-names.ts'
import { errorOverview, errorSections } from './error-page.ts'
import { table } from './field-table.ts'
import { endpointTable, operationSections } from './operation-tables.ts'

/** Writes what code knows into a page: `{{errors}}`, `{{operations listModels}}`. */
export function fillIn(markdown: string, facts: Facts): string {
  return inNames(markdown, facts.names).replace(
    /\{\{(\w+)((?: \w+)*)\}\}/g,
    (directive, name: string, words: string) => {
      const write = WRITERS[name]
      assert(write, `the documentation asks for ${directive}, which nothing writes`)
      return write(facts, ...words.split(' ').filter(Boolean))
    },
  )
}

export interface Facts {
  readonly document: OpenApi
  readonly docsUrl: string
  readonly names: ServiceNames
}
type Writer = (facts: Facts, ...words: readonly string[]) => string

const WRITERS: Readonly<Record<string, Writer>> = {
  operations: ({ document }, ...ids) => operationSections(document, ids),
  endpoints: ({ document }) => endpointTable(document),
  docs_url: ({ docsUrl }) => docsUrl,
  base_url: () => `${SOME_ORIGIN}/v1`,
  root_url: () => SOME_ORIGIN,
  errors: ({ names }) => inNames(errorSections(), names),
  error_overview: errorOverview,
  prices: () =>
    table(
      ['Tier', 'Credits per request', 'Credits per 1 000 output tokens beyond'],
      TIERS.map((tier) => {
        const { perRequest, per1kTokens } = TIER_PRICES[tier]
        return [`\`${tier}\``, `${perRequest}`, `${per1kTokens}`]
      }),
    ),
  flat_tokens: () => `${FLAT_OUTPUT_TOKENS}`,
  limit: (_, name = '') => {
    const limit = Object.hasOwn(LIMITS, name) ? LIMITS[name as keyof typeof LIMITS] : undefined
    assert(limit !== undefined, `there is no limit ${name}`)
    return UNITS[name]?.(limit) ?? String(limit)
  },
}

const UNITS: Readonly<Record<string, (limit: number) => string>> = {
  bodyBytesMax: (bytes) => `${bytes / 1024 / 1024} MiB`,
  webhookAttemptMs: (ms) => `${ms / 1_000} seconds`,
  streamSilenceMs: (ms) => `${ms / 1_000} seconds`,
}

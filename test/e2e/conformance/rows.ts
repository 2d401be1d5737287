import { BURST_ROWS, LIFE_ROWS } from './rows-life.ts'
import { WIRE_ROWS } from './rows-wire.ts'

/**
 * Every row that this suite holds the network to, by the test file that tells it. A row without a
 * test, or a test without a row, fails.
 *
 * Out of this suite, because no caller of the API can see them, or because they come with the web
 * app, webhooks and stakes:
 * - What is delivered to webhooks: Event envelope (5 fields), Events (10), the `data` of events,
 *   signature, retries, the failed state; the limits "Webhook delivery timeout", "Webhook attempts"
 *   and "credit.low threshold"; what is chosen for them.
 * - The web app: creation and display of keys, "Keys per wallet", "Minimum credit purchase",
 *   withdrawals, purchases.
 * - The share of 85% of a staked worker, retirement by vote, arbitration's end and slashing.
 */
export const ROWS = { wire: WIRE_ROWS, life: LIFE_ROWS, burst: BURST_ROWS } as const

export type Tables = Readonly<Record<string, readonly string[]>>

export const titlesOf = (tables: Tables): string[] =>
  Object.entries(tables).flatMap(([table, rows]) => rows.map((row) => `${table}: ${row}`))

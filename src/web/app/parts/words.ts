/** How numbers, times and hashes are said to people. */

const UNITS_PER_USDG = 1_000_000
const EXACT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })
export const USDG_PER_CREDIT = 0.01

export const credits = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'credit' : 'credits'}`

export const usdg = (value: number): string =>
  `${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} USDG`

/** To the last unit: half a cent is not shown as a whole one. */
export const usdgOfUnits = (units: bigint): string =>
  `${EXACT.format(Number(units) / UNITS_PER_USDG)} USDG`

export const usdgOfCredits = (count: number): string => usdg(count * USDG_PER_CREDIT)

/** 0x12ab…9f04 */
export const short = (hex: string): string =>
  hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex

const DATE_TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
/** In the reader's own time zone. */
export const dateTime = (iso: string): string => DATE_TIME.format(new Date(iso))

const PRECISE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' })
/** The same to the second, with the zone: whoever gets it on paper, or as a picture, may be in another. */
export const precise = (iso: string): string => PRECISE.format(new Date(iso))

const SECOND_MS = 1_000
/** @param unixSeconds as the chain tells the time */
export const preciseOf = (unixSeconds: bigint): string =>
  PRECISE.format(Number(unixSeconds) * SECOND_MS)

const MINUTE_S = 60
const HOUR_S = 3_600
const DAY_S = 86_400

/** "1 h 4 min", "4 min 12 s", "12 s"; never below 0. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS))
  if (seconds >= DAY_S)
    return `${Math.floor(seconds / DAY_S)} d ${Math.floor((seconds % DAY_S) / HOUR_S)} h`
  if (seconds >= HOUR_S)
    return `${Math.floor(seconds / HOUR_S)} h ${Math.floor((seconds % HOUR_S) / MINUTE_S)} min`
  if (seconds >= MINUTE_S) return `${Math.floor(seconds / MINUTE_S)} min ${seconds % MINUTE_S} s`
  return `${seconds} s`
}

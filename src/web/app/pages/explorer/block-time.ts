const MS = 1_000
/** To the second: blocks are that close together. */
const WITH_SECONDS = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** @param timestamp Unix seconds, as blocks tell it */
export const timeOf = (timestamp: bigint): string =>
  WITH_SECONDS.format(new Date(Number(timestamp) * MS))

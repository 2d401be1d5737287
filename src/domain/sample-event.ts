const PREFIX = 'evt_test'

/** The id of an event that has not happened, made to try a receiver with. No real one begins so. */
export const sampleEventId = (random: Uint8Array): string =>
  `${PREFIX}${Buffer.from(random).toString('hex').slice(0, 28)}`

export const isSampleEvent = (id: string): boolean => id.startsWith(PREFIX)

/** Far below the 16 MiB that either side of the worker protocol takes, whatever characters the text is of. */
const UNITS_MAX = 1024 * 1024
/** What stands in a message beside its text: ids, figures, a signature. */
const OTHER_UNITS = 256

/**
 * What is said in one moment in as few messages of the worker protocol as may be, in its order.
 * @param unitsOf UTF-16 units of text in a message
 */
export function inBatches<Message>(
  said: readonly Message[],
  unitsOf: (message: Message) => number,
): Message[][] {
  const batches: Message[][] = []
  let batch: Message[] = []
  let units = 0
  for (const message of said) {
    const more = unitsOf(message) + OTHER_UNITS
    if (batch.length > 0 && units + more > UNITS_MAX) {
      batches.push(batch)
      batch = []
      units = 0
    }
    batch.push(message)
    units += more
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

/** Those of one batch as what goes on the stream: one alone is no batch. */
export function together<Message>(batch: readonly Message[]) {
  const [first] = batch
  if (batch.length === 1) return { message: first }
  const messages = batch.map((message) => ({ message }))
  return { message: { $case: 'batch' as const, value: { messages } } }
}

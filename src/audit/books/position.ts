/** Where on chain something happened. */
export interface Position {
  readonly block: number
  readonly index: number
}

export const isAfter = (a: Position, b: Position): boolean =>
  a.block > b.block || (a.block === b.block && a.index > b.index)

export const positionOf = (event: {
  readonly blockNumber: bigint
  readonly logIndex: number
}): Position => ({ block: Number(event.blockNumber), index: event.logIndex })

/** A wallet that was read from the chain, and not log by log, stands after all that a block can hold. */
const WHOLE_BLOCK = 1_000_000_000

export const placeOf = ({ block, index }: Position): string =>
  index < WHOLE_BLOCK ? `block ${block}, log ${index}` : `the end of block ${block}`

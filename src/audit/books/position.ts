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

export const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)

/** With where it came from. */
export const wholeTextOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? textOf(error)) : String(error)

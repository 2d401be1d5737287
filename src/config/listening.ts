import { OperatorError } from '../domain/operator-error.ts'

/**
 * Opens a port. One that another program has, or an address that is none of this machine's, is the
 * operator's to put right.
 * @param settings where host and port come from
 * @throws {OperatorError}
 */
export async function listening<T>(settings: string, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (cause) {
    throw new OperatorError(`${settings}: ${(cause as Error).message}`, { cause })
  }
}

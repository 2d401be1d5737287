import { type NatsConnection, NatsError } from 'nats'
import { z } from 'zod'
import { CannotTell } from '../cannot-tell.ts'
import { unpack } from './packed.ts'

/** Which escrow books are about. */
export interface Deployment {
  readonly chainId: number
  readonly escrow: string
}

const BUCKET = 'KV_CURSORS'
const SUBJECT = '$KV.CURSORS.deployment'
/** Of JetStream, as `NO_SUCH_MESSAGE`: nothing was ever kept there. */
export const NO_SUCH_STREAM = 10_059
const NO_SUCH_MESSAGE = 10_037

const Noted = z
  .object({ chainId: z.int(), jobEscrow: z.string() })
  .transform(({ chainId, jobEscrow }) => ({ chainId, escrow: jobEscrow.toLowerCase() }))

/** What the first actor host of a NATS has written down; undefined where none has, or it cannot be read. */
export async function readDeployment(connection: NatsConnection): Promise<Deployment | undefined> {
  const manager = await connection.jetstreamManager()
  const message = await manager.streams
    .getMessage(BUCKET, { last_by_subj: SUBJECT })
    .catch((error: unknown) => {
      const code = error instanceof NatsError ? error.api_error?.err_code : undefined
      if (code === NO_SUCH_STREAM || code === NO_SUCH_MESSAGE) return undefined
      throw error
    })
  return message && Noted.safeParse(unpack(message.data)).data
}

/**
 * Who has moved to other contracts runs two networks for a while. The jobs of the one are unknown to the escrow of the
 * other, every one of them: that says nothing of either's books.
 * @throws {CannotTell}
 */
export function requireSame(found: Deployment | undefined, of: Deployment, place: string): void {
  if (!found || (found.chainId === of.chainId && found.escrow === of.escrow)) return
  throw new CannotTell(
    `NATS at ${place} is of another network: its escrow is ${found.escrow} on chain ${found.chainId}, and the ` +
      `address file names ${of.escrow} on chain ${of.chainId}: name the address file of that network with ` +
      '--contracts FILE, or the servers of this one with --nats URL and --redis URL',
  )
}

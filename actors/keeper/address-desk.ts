import { toCredits, UNITS_PER_CREDIT } from '../../src/domain/credits.ts'
import type { Address } from '../../src/domain/ids.ts'
import type { AskDepositAddress, DepositAddressReply } from '../../src/messages/keeper.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { KeeperReader } from '../../src/ports/keeper.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { WatchedWallets } from './watched-wallets.ts'

interface Options {
  readonly bus: Bus
  readonly reader: KeeperReader
  readonly wallets: WatchedWallets
  readonly log: Log
}

/** Tells wallets where to send tokens. An address is told once it is watched, and never before. */
export function openAddressDesk({ bus, reader, wallets, log }: Options): () => void {
  const answer = async (wallet: Address): Promise<DepositAddressReply> => {
    const [{ minimumCredits }] = await Promise.all([
      reader.terms(),
      reader.checkDepositAddresses(),
      wallets.add(wallet),
    ])
    const address = reader.depositAddress(wallet)
    const pendingCredits = toCredits((await reader.tokensOf(address)) / UNITS_PER_CREDIT)
    return { type: 'deposit_address', address, pendingCredits, minimumCredits }
  }
  const questions = bus.subscribe(SUBJECTS.depositAddress, (message, _subject, respond) => {
    const { wallet } = message as AskDepositAddress // only the web app asks here
    return answer(wallet).then(respond, (error: unknown) => {
      log.warn({ err: error, wallet }, 'keeper: deposit address not told')
      const reason = error instanceof Error ? error.message : String(error)
      respond({ type: 'unavailable', reason } satisfies DepositAddressReply)
    })
  })
  return () => questions.unsubscribe()
}

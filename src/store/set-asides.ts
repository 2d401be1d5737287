import type { Redis, Result } from 'ioredis'
import { toCredits } from '../domain/credits.ts'
import { type Address, toAddress } from '../domain/ids.ts'
import type { SetAside, SetAsideReply, SetAsides } from '../ports/set-asides.ts'
import { clamp, holdsKey, walletKey } from './ledger.ts'
import { ledgerScript } from './ledger-commands.ts'

const voucherKey = (wallet: Address) => `v:{${wallet}}`
/** Vouchers by their deadline: what the sweeper looks through. */
const OPEN = 'vouchers'
/** As `lua/ledger.lua` names it among the holds of a wallet. */
const WITHDRAWAL = 'withdrawal'

type Fields = [requestId: string, credits: string, to: string, nonce: string, deadline: string]

declare module 'ioredis' {
  interface RedisCommander<Context> {
    ledgerSetAside(...args: string[]): Result<string[], Context>
    ledgerEndAside(...args: string[]): Result<number, Context>
  }
}

/** Credits set aside for vouchers, in the ledger's own keys. */
export function makeSetAsides(redis: Redis, generation: () => Promise<string>): SetAsides {
  redis.defineCommand('ledgerSetAside', { numberOfKeys: 4, lua: ledgerScript('set-aside') })
  redis.defineCommand('ledgerEndAside', { numberOfKeys: 4, lua: ledgerScript('end-aside') })

  const of = async (wallet: Address): Promise<string[]> => [
    walletKey(wallet),
    holdsKey(wallet),
    voucherKey(wallet),
    OPEN,
    await generation(),
  ]

  return {
    setAside: async ({ wallet, requestId, credits, to, deadline }, seen) => {
      const terms = [credits, to, seen.nonce, deadline, seen.block, seen.time].map(String)
      const args = [requestId, ...terms, memberOf(wallet, requestId)]
      return toReply(wallet, await redis.ledgerSetAside(...(await of(wallet)), ...args))
    },

    held: async (wallet) => {
      // Between the two it may be another voucher's: whoever ends it names the one that is meant.
      const found = await redis.hmget(voucherKey(wallet), 'i', 'c', 't', 'n', 'd')
      const isHeld = await redis.hexists(holdsKey(wallet), WITHDRAWAL)
      return isHeld && !found.includes(null) ? toSetAside(wallet, found as Fields) : undefined
    },

    end: async (wallet, requestId) => {
      const args = [requestId, memberOf(wallet, requestId)]
      await redis.ledgerEndAside(...(await of(wallet)), ...args)
    },

    overdue: async (unixSeconds, limit) => {
      const found = await redis.zrangebyscore(OPEN, 0, `(${unixSeconds}`, 'LIMIT', 0, limit)
      return found.map((member) => {
        const space = member.indexOf(' ')
        return {
          wallet: toAddress(member.slice(0, space)),
          requestId: member.slice(space + 1),
        }
      })
    },
  }
}

const memberOf = (wallet: Address, requestId: string): string => `${wallet} ${requestId}`

function toReply(wallet: Address, [type, ...told]: string[]): SetAsideReply {
  switch (type) {
    case 'set_aside':
      return { type, voucher: toSetAside(wallet, told as Fields) }
    case 'open':
      return { type, deadline: Number(told[0]) }
    case 'insufficient':
      return { type, remaining: clamp(told[0]!) }
    case 'stale':
    case 'used':
      return { type }
    default:
      return { type: 'unknown_wallet' }
  }
}

const toSetAside = (
  wallet: Address,
  [requestId, credits, to, nonce, deadline]: Fields,
): SetAside => ({
  wallet,
  requestId,
  credits: toCredits(credits),
  to: toAddress(to),
  nonce: BigInt(nonce),
  deadline: Number(deadline),
})

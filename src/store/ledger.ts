import { readFileSync } from 'node:fs'
import type { Redis, Result } from 'ioredis'
import { type Credits, toCredits } from '../domain/credits.ts'
import { type Address, toAddress, toJobId } from '../domain/ids.ts'
import { toUnixMs } from '../domain/time.ts'
import type { Ledger, ReserveReply } from '../ports/ledger.ts'
import { packPrompt, promptKey } from './outputs.ts'

const script = (name: string): string =>
  ['ledger', name]
    .map((file) => readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), 'utf8'))
    .join('\n')

const walletKey = (wallet: Address) => `w:{${wallet}}`
const holdsKey = (wallet: Address) => `h:{${wallet}}`
/** Jobs with a reservation, by the time it was made: what the sweeper looks through. */
const OPEN = 'open'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    ledgerReserve(...args: (string | Buffer)[]): Result<[string, string], Context>
    ledgerRelease(...args: string[]): Result<number, Context>
    ledgerBalance(...args: string[]): Result<[string, string] | [], Context>
    ledgerRemainingAfter(...args: string[]): Result<[string] | [], Context>
    ledgerLoad(...args: string[]): Result<'loaded' | 'stale', Context>
    ledgerApply(...args: string[]): Result<number, Context>
  }
}

/** The ledger in Redis: one script a step, so a wallet is never seen half changed. */
export function makeLedger(redis: Redis, generation: () => Promise<string>): Ledger {
  redis.defineCommand('ledgerReserve', { numberOfKeys: 3, lua: script('reserve') })
  redis.defineCommand('ledgerRelease', { numberOfKeys: 2, lua: script('release') })
  redis.defineCommand('ledgerBalance', { numberOfKeys: 2, lua: script('balance') })
  redis.defineCommand('ledgerRemainingAfter', { numberOfKeys: 2, lua: script('remaining-after') })
  redis.defineCommand('ledgerLoad', { numberOfKeys: 2, lua: script('load') })
  redis.defineCommand('ledgerApply', { numberOfKeys: 2, lua: script('apply') })

  /** The arguments that every script begins with. */
  const of = async (wallet: Address): Promise<[string, string, string]> => [
    walletKey(wallet),
    holdsKey(wallet),
    await generation(),
  ]

  return {
    reserve: async ({ wallet, jobId, credits, at, prompt, promptTtlMs }) => {
      const [walletAt, holdsAt, life] = await of(wallet)
      // The entry comes first: one without a reservation is harmless, the reverse is not.
      const opened = redis.zadd(OPEN, at, `${jobId} ${wallet}`)
      const reserved = redis.ledgerReserve(
        walletAt,
        holdsAt,
        promptKey(wallet, jobId),
        life,
        jobId,
        String(credits),
        packPrompt(prompt),
        String(promptTtlMs),
      )
      const [, [type, left]] = await Promise.all([opened, reserved])
      if (type !== 'reserved') await redis.zrem(OPEN, `${jobId} ${wallet}`)
      return toReserveReply(type, clamp(left))
    },

    release: async (wallet, jobId) => {
      const args = await of(wallet)
      await Promise.all([
        redis.ledgerRelease(...args, jobId),
        redis.zrem(OPEN, `${jobId} ${wallet}`),
      ])
    },

    balance: async (wallet) => {
      const [left, topup] = await redis.ledgerBalance(...(await of(wallet)))
      if (left === undefined) return 'unknown_wallet'
      return { remaining: clamp(left), lastTopupAt: topup ? toUnixMs(Number(topup)) : null }
    },

    remainingAfter: async (wallet, jobId, charged) => {
      const [left] = await redis.ledgerRemainingAfter(...(await of(wallet)), jobId, String(charged))
      return left === undefined ? 'unknown_wallet' : clamp(left)
    },

    load: async (wallet, { available, lastTopupAt, block }) =>
      redis.ledgerLoad(
        ...(await of(wallet)),
        String(available),
        lastTopupAt === null ? '' : String(lastTopupAt),
        String(block),
      ),

    apply: async ({ wallet, block, logIndex, kind, credits, jobId, at }) => {
      const applied = redis.ledgerApply(
        ...(await of(wallet)),
        String(block),
        String(logIndex),
        kind,
        String(credits),
        jobId ?? '',
        at === undefined ? '' : String(at),
      )
      const closed = kind === 'locked' ? redis.zrem(OPEN, `${jobId} ${wallet}`) : undefined
      await Promise.all([applied, closed])
    },

    openReservations: async (before, limit) => {
      const found = await redis.zrangebyscore(OPEN, 0, before, 'LIMIT', 0, limit)
      return found.map((member) => {
        const [jobId, wallet] = member.split(' ')
        return { jobId: toJobId(jobId!), wallet: toAddress(wallet!) }
      })
    },

    forget: async () => {
      for await (const keys of redis.scanStream({ match: 'w:{*}', count: 500 })) {
        if (keys.length > 0) await redis.unlink(...(keys as string[]))
      }
    },
  }
}

function toReserveReply(type: string, remaining: Credits): ReserveReply {
  switch (type) {
    case 'reserved':
      return { type, remaining }
    case 'insufficient':
      return { type, remaining }
    default:
      return { type: 'unknown_wallet' }
  }
}

/**
 * Reservations that outlived a reload can exceed the balance for a moment; nobody can spend less
 * than nothing.
 */
const clamp = (text: string): Credits => toCredits(text.startsWith('-') ? 0 : text)

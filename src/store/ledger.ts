import type { Redis } from 'ioredis'
import { type Credits, NO_CREDITS, toCredits } from '../domain/credits.ts'
import { type Address, type JobId, toAddress, toHex32, toJobId } from '../domain/ids.ts'
import { toUnixMs } from '../domain/time.ts'
import type { JoinHolder } from '../messages/job-reply.ts'
import type {
  BlockId,
  Ledger,
  LedgerEntry,
  Reservation,
  ReserveReply,
  Standing,
} from '../ports/ledger.ts'
import { defineLedgerCommands, type ToldReservation } from './ledger-commands.ts'

export const walletKey = (wallet: Address) => `w:{${wallet}}`
export const holdsKey = (wallet: Address) => `h:{${wallet}}`
const openEntry = (wallet: Address, jobId: JobId) => `${jobId} ${wallet}`
const joinedKey = (wallet: Address, joinKey: string) => `i:{${wallet}}:${joinKey}`
/** Jobs with a reservation, by the time it was made: what the sweeper looks through. */
const OPEN = 'open'
/** Blocks that wallets were read at, by their number. */
const READS = 'reads'

/** The ledger in Redis: one script a step, so a wallet is never seen half changed. */
export function makeLedger(redis: Redis, generation: () => Promise<string>): Ledger {
  defineLedgerCommands(redis)

  /** The arguments that every script begins with. */
  const of = async (wallet: Address): Promise<[string, string, string]> => [
    walletKey(wallet),
    holdsKey(wallet),
    await generation(),
  ]

  return {
    reserve: async (reservation) => {
      const reply = await sendReservation(redis, await of(reservation.wallet), reservation)
      return toReserveReply(reply)
    },

    release: async (wallet, jobId, joinKey) => {
      const [walletAt, holdsAt, life] = await of(wallet)
      const args = [life, jobId, openEntry(wallet, jobId)]
      if (joinKey === undefined) await redis.ledgerRelease(walletAt, holdsAt, OPEN, ...args)
      else {
        const joinedAt = joinedKey(wallet, joinKey)
        await redis.ledgerReleaseJoinable(walletAt, holdsAt, OPEN, joinedAt, ...args)
      }
    },

    joinable: async (wallet, joinKey) => {
      const found = await redis.get(joinedKey(wallet, joinKey))
      return found === null ? undefined : toHolder(found)
    },

    balance: async (wallet) => {
      const [left, back, topup] = await redis.ledgerBalance(...(await of(wallet)))
      if (left === undefined) return 'unknown_wallet'
      const lastTopupAt = topup ? toUnixMs(Number(topup)) : null
      return { remaining: clamp(left), returning: toCredits(back ?? 0), lastTopupAt }
    },

    held: async (wallet, jobs) => {
      if (jobs.length === 0) return []
      const found = await redis.hmget(holdsKey(wallet), ...jobs)
      return jobs.filter((_, i) => found[i] !== null)
    },

    accountFor: async (wallet, jobId, charged) => {
      const [left] = await redis.ledgerAccountFor(...(await of(wallet)), jobId, String(charged))
      return left === undefined ? 'unknown_wallet' : clamp(left)
    },

    load: async (wallet, { available, locked, lastTopupAt, block }) =>
      redis.ledgerLoad(
        ...(await of(wallet)),
        String(available),
        String(locked),
        lastTopupAt === null ? '' : String(lastTopupAt),
        String(block),
      ),

    noteRead: async (read) => {
      await redis.zadd(READS, read.block, packRead(read))
    },

    reads: async (upTo) => (await redis.zrangebyscore(READS, 0, upTo)).map(unpackRead),

    proven: async (reads) => {
      if (reads.length > 0) await redis.zrem(READS, ...reads.map(packRead))
    },

    apply: async (entries) => {
      const [{ wallet }] = entries as readonly [LedgerEntry]
      const left = entries.filter(({ kind }) => kind === 'locked')
      const [told] = await Promise.all([
        redis.ledgerApply(...(await of(wallet)), ...entries.flatMap(entryArguments)),
        left.length > 0 && redis.zrem(OPEN, ...left.map(({ jobId }) => openEntry(wallet, jobId!))),
      ])
      return told.length === 0 ? 'unknown_wallet' : entries.map((_, i) => toStanding(told, 3 * i))
    },

    openReservations: async (before, limit, skip = 0) => {
      const found = await redis.zrangebyscore(OPEN, 0, before, 'LIMIT', skip, limit)
      return found.map((member) => {
        const [jobId, wallet] = member.split(' ')
        return { jobId: toJobId(jobId!), wallet: toAddress(wallet!) }
      })
    },

    forget: async () => {
      const reads = await redis.zrangebyscore(READS, 0, '+inf')
      await forgetWallets(redis)
      if (reads.length === 0) return
      await redis.zrem(READS, ...reads)
      // One that was read meanwhile at one of these blocks is noted nowhere any more.
      await forgetWallets(redis)
    },
  }
}

async function forgetWallets(redis: Redis): Promise<void> {
  for await (const keys of redis.scanStream({ match: 'w:{*}', count: 500 })) {
    if (keys.length > 0) await redis.unlink(...(keys as string[]))
  }
}

const entryArguments = (entry: LedgerEntry): readonly string[] => [
  String(entry.block),
  String(entry.logIndex),
  entry.kind,
  String(entry.credits),
  entry.jobId ?? '',
  entry.at === undefined ? '' : String(entry.at),
  String(entry.charged ?? NO_CREDITS),
]

function toStanding(told: readonly string[], at: number): Standing {
  const [isNew, remaining, owned] = told.slice(at, at + 3) as [string, string, string]
  return { isNew: isNew === '1', remaining: clamp(remaining), owned: clamp(owned) }
}

function sendReservation(
  redis: Redis,
  [walletAt, holdsAt, life]: readonly [string, string, string],
  { wallet, jobId, credits, at, join }: Reservation,
): Promise<ToldReservation> {
  const args = [life, jobId, String(credits), String(at), openEntry(wallet, jobId)]
  if (!join) return redis.ledgerReserve(walletAt, holdsAt, OPEN, ...args)
  const joinedAt = joinedKey(wallet, join.key)
  const entry = [join.bodyDigest, join.replaces ?? '', String(join.ttlMs)]
  return redis.ledgerReserveJoinable(walletAt, holdsAt, OPEN, joinedAt, ...args, ...entry)
}

function toReserveReply([type, told, returning = '0']: ToldReservation): ReserveReply {
  switch (type) {
    case 'reserved':
      return { type, remaining: clamp(told) }
    case 'insufficient':
      return { type, remaining: clamp(told), returning: toCredits(returning) }
    case 'taken':
      return { type, ...toHolder(told) }
    default:
      return { type: 'unknown_wallet' }
  }
}

const packRead = ({ block, blockHash }: BlockId): string => `${block} ${blockHash}`

function unpackRead(text: string): BlockId {
  const [block, hash = ''] = text.split(' ')
  return { block: Number(block), blockHash: toHex32(hash) }
}

function toHolder(text: string): JoinHolder {
  const [jobId = '', bodyDigest = ''] = text.split(' ')
  return { jobId: toJobId(jobId), bodyDigest }
}

/**
 * Reservations that outlived a reload can exceed the balance for a moment; nobody can spend less
 * than nothing.
 */
export const clamp = (text: string): Credits => toCredits(text.startsWith('-') ? 0 : text)

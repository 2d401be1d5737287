import type { Reply } from './lua.ts'

type Hash = Map<string, string>
/** Member to score. */
type Sorted = Map<string, number>
type Value = string | Hash | Sorted
interface Entry {
  readonly value: Value
  /** Unix milliseconds. */
  expiresAt: number | undefined
}

/**
 * The data of one Redis, and the commands that the house gives to it. Bytes are strings of which each
 * character is one byte, so their order is the order of bytes.
 */
export class Keyspace {
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** @throws for a command, or a form of one, that nobody here gives */
  perform(command: string, args: readonly string[]): Reply {
    const known = COMMANDS[command]
    if (!known) throw new Error(`ERR the simulated redis does not know ${command}`)
    return known(this, args)
  }

  now(): number {
    return this.#now()
  }

  /** Those that begin with `prefix`. */
  keys(prefix: string): readonly string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix) && this.#get(key))
  }

  text(key: string): string | undefined {
    const value = this.#get(key)?.value
    if (value !== undefined && typeof value !== 'string') throw wrongType(key)
    return value
  }

  hash(key: string): ReadonlyMap<string, string> {
    return (this.#get(key)?.value as Hash | undefined) ?? NO_HASH
  }

  sorted(key: string): ReadonlyMap<string, number> {
    return (this.#get(key)?.value as Sorted | undefined) ?? NO_SORTED
  }

  /** To be written to; an empty one is no key, so `tidy` it after a removal. */
  collection<Kind extends Hash | Sorted>(key: string): Kind {
    const found = this.#get(key)
    if (found) return found.value as Kind
    const made = new Map() as Kind
    this.#entries.set(key, { value: made, expiresAt: undefined })
    return made
  }

  tidy(key: string): void {
    const value = this.#get(key)?.value
    if (value instanceof Map && value.size === 0) this.#entries.delete(key)
  }

  setText(key: string, value: string, expiresAt: number | undefined): void {
    this.#entries.set(key, { value, expiresAt })
  }

  expire(key: string, at: number): number {
    const entry = this.#get(key)
    if (entry) entry.expiresAt = at
    return entry ? 1 : 0
  }

  delete(keys: readonly string[]): number {
    return keys.filter((key) => this.#get(key) && this.#entries.delete(key)).length
  }

  clear(): void {
    this.#entries.clear()
  }

  #get(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry?.expiresAt === undefined || entry.expiresAt > this.#now()) return entry
    this.#entries.delete(key)
    return undefined
  }
}

const NO_HASH: ReadonlyMap<string, string> = new Map()
const NO_SORTED: ReadonlyMap<string, number> = new Map()
const wrongType = (key: string) =>
  new Error(`WRONGTYPE Operation against a key holding the wrong kind of value (${key})`)

/** Commands that change something: what an append-only file holds. */
export const WRITES: ReadonlySet<string> = new Set([
  ...['SET', 'DEL', 'UNLINK', 'EXPIRE', 'PEXPIREAT'],
  ...['HSET', 'HDEL', 'HINCRBY', 'ZADD', 'ZREM', 'FLUSHALL'],
])

/** Of these, those that Redis refuses where it is over `maxmemory`; the others may free something. */
export const GROWS: ReadonlySet<string> = new Set(['SET', 'HSET', 'HINCRBY', 'ZADD'])

type Command = (data: Keyspace, args: readonly string[]) => Reply

const COMMANDS: Readonly<Record<string, Command>> = {
  PING: () => 'PONG',
  GET: (data, [key]) => data.text(key!) ?? null,
  MGET: (data, keys) => keys.map((key) => data.text(key) ?? null),
  SET: (data, [key, value, ...options]) => {
    data.setText(key!, value!, expiryOf(data, options))
    return 'OK'
  },
  DEL: (data, keys) => data.delete(keys),
  UNLINK: (data, keys) => data.delete(keys),
  EXPIRE: (data, [key, seconds]) => data.expire(key!, data.now() + Number(seconds) * 1_000),
  PEXPIREAT: (data, [key, at]) => data.expire(key!, Number(at)),
  TIME: (data) => [String(Math.floor(data.now() / 1_000)), String((data.now() % 1_000) * 1_000)],
  FLUSHALL: (data) => {
    data.clear()
    return 'OK'
  },

  HGET: (data, [key, field]) => data.hash(key!).get(field!) ?? null,
  HMGET: (data, [key, ...fields]) => fields.map((field) => data.hash(key!).get(field) ?? null),
  HGETALL: (data, [key]) => [...data.hash(key!)].flat(),
  HLEN: (data, [key]) => data.hash(key!).size,
  HEXISTS: (data, [key, field]) => (data.hash(key!).has(field!) ? 1 : 0),
  HSET: (data, [key, ...pairs]) => {
    const hash = data.collection<Hash>(key!)
    const before = hash.size
    for (let i = 0; i < pairs.length; i += 2) hash.set(pairs[i]!, pairs[i + 1]!)
    return hash.size - before
  },
  HDEL: (data, [key, ...fields]) => {
    const hash = data.collection<Hash>(key!)
    const gone = fields.filter((field) => hash.delete(field)).length
    data.tidy(key!)
    return gone
  },
  HINCRBY: (data, [key, field, by]) => {
    const hash = data.collection<Hash>(key!)
    const sum = wholeOf(hash.get(field!) ?? '0') + wholeOf(by!)
    hash.set(field!, String(sum))
    return Number(sum)
  },

  ZADD: (data, [key, ...rest]) => {
    const onlyNew = rest[0]?.toUpperCase() === 'NX'
    const pairs = onlyNew ? rest.slice(1) : rest
    const sorted = data.collection<Sorted>(key!)
    const before = sorted.size
    for (let i = 0; i < pairs.length; i += 2) {
      const member = pairs[i + 1]!
      if (!onlyNew || !sorted.has(member)) sorted.set(member, Number(pairs[i]))
    }
    return sorted.size - before
  },
  ZREM: (data, [key, ...members]) => {
    const sorted = data.collection<Sorted>(key!)
    const gone = members.filter((member) => sorted.delete(member)).length
    data.tidy(key!)
    return gone
  },
  ZRANGEBYSCORE: (data, [key, low, high, ...options]) => {
    const [above, below] = [bound(low!), bound(high!)]
    const found = inOrder(data.sorted(key!)).filter(([, score]) => {
      const highEnough = above.open ? score > above.at : score >= above.at
      return highEnough && (below.open ? score < below.at : score <= below.at)
    })
    return limited(found, options)
  },
  // Of members whose scores are all the same, as the command demands.
  ZRANGEBYLEX: (data, [key, low, high, ...options]) =>
    limited(
      inOrder(data.sorted(key!)).filter(([member]) => isBetween(member, low!, high!)),
      options,
    ),
  ZREVRANGEBYLEX: (data, [key, high, low, ...options]) =>
    limited(
      inOrder(data.sorted(key!))
        .filter(([member]) => isBetween(member, low!, high!))
        .reverse(),
      options,
    ),
}

function expiryOf(data: Keyspace, [unit, amount]: readonly string[]): number | undefined {
  switch (unit?.toUpperCase() ?? '') {
    case '':
      return undefined
    case 'EX':
      return data.now() + Number(amount) * 1_000
    case 'PX':
      return data.now() + Number(amount)
    case 'PXAT':
      return Number(amount)
    default:
      throw new Error(`ERR the simulated redis does not know SET with ${unit}`)
  }
}

function wholeOf(text: string): bigint {
  if (!/^-?(0|[1-9]\d*)$/.test(text) || text === '-0') {
    throw new Error('ERR value is not an integer or out of range')
  }
  return BigInt(text)
}

/** By score, then by bytes. */
const inOrder = (sorted: ReadonlyMap<string, number>): readonly [string, number][] =>
  [...sorted].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))

const bound = (text: string) =>
  text.startsWith('(')
    ? { open: true, at: Number(text.slice(1)) }
    : { open: false, at: Number(text.replace('inf', 'Infinity')) }

function isBetween(member: string, low: string, high: string): boolean {
  const aboveLow =
    low === '-' || (low.startsWith('(') ? member > low.slice(1) : member >= low.slice(1))
  const belowHigh =
    high === '+' || (high.startsWith('(') ? member < high.slice(1) : member <= high.slice(1))
  return low !== '+' && high !== '-' && aboveLow && belowHigh
}

function limited(
  found: readonly (readonly [string, number])[],
  [, offset = '0', count = '-1']: readonly string[],
): readonly string[] {
  const from = Number(offset)
  const until = Number(count) < 0 ? undefined : from + Number(count)
  return found.slice(from, until).map(([member]) => member)
}

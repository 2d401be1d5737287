/** A 32-bit FNV-1a with a final mix, so that near-equal names land far apart. */
function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h ^= h >>> 16
  h = Math.imul(h, 0x7feb352d)
  h ^= h >>> 15
  h = Math.imul(h, 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

/**
 * Rendezvous hashing: the host that `resource` belongs to. When a host comes or goes, only what
 * belongs to it moves.
 */
export function chooseHost(resource: string, hosts: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestWeight = -1
  for (const host of hosts) {
    const weight = hash(`${host}|${resource}`)
    if (weight > bestWeight || (weight === bestWeight && host < best!)) {
      best = host
      bestWeight = weight
    }
  }
  return best
}

/**
 * Where each resource belongs, remembered while the same hosts live: all names hashed anew at every look
 * cost a host more than all else that it does while nobody asks for anything.
 */
export function makeHomes(): (
  hosts: readonly string[],
) => (resource: string) => string | undefined {
  let living: readonly string[] = []
  const homes = new Map<string, string | undefined>()
  const homeOf = (resource: string) => {
    const known = homes.get(resource)
    if (known !== undefined) return known
    const home = chooseHost(resource, living)
    homes.set(resource, home)
    return home
  }
  return (hosts) => {
    if (hosts.length !== living.length || hosts.some((host, i) => host !== living[i])) {
      living = hosts
      homes.clear()
    }
    return homeOf
  }
}

/** Who holds a resource. `host` is '' when it was given back. */
export interface Claim {
  readonly host: string
  /** Where a reader of the journal starts when the holder left no newer checkpoint. */
  readonly from: number
}

export type Placement = 'take' | 'give_back' | 'stay'

/**
 * What to do about one resource. Leases never give exclusivity by themselves: the journal's
 * compare-and-set does; this only keeps two hosts from working at odds.
 */
export function placementOf(options: {
  readonly me: string
  /** Of the living hosts that run this kind, me included, the one that the resource belongs to. */
  readonly home: string | undefined
  readonly claim: Claim | undefined
  /** I act on it. A claim of mine that I do not hold was written without my hearing of it. */
  readonly isHeld: boolean
  readonly isDead: (host: string) => boolean
}): Placement {
  const { me, home, claim, isHeld, isDead } = options
  if (claim?.host === me && home !== me) return 'give_back'
  if (claim?.host === me) return isHeld ? 'stay' : 'take'
  if (home !== me) return 'stay'
  return !claim || claim.host === '' || isDead(claim.host) ? 'take' : 'stay'
}

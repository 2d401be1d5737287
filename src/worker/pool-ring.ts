import { ADDRCONFIG } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { PoolAddress, PoolTarget } from './dial.ts'

export type Resolve = (host: string) => Promise<readonly Resolved[]>
interface Resolved {
  readonly address: string
  readonly family: number
}

const resolveAll: Resolve = (host) => lookup(host, { all: true, hints: ADDRCONFIG })

/**
 * What can be dialled under these addresses, in their order. A name of several machines stands for
 * all of them, in an order of chance, so that not all workers are at the first one.
 */
export async function poolTargets(
  addresses: readonly PoolAddress[],
  resolve = resolveAll,
): Promise<readonly PoolTarget[]> {
  const each = await Promise.all(addresses.map((address) => targetsOf(address, resolve)))
  return each.flat()
}

async function targetsOf(pool: PoolAddress, resolve: Resolve): Promise<readonly PoolTarget[]> {
  const { target, host, port, tls, authorities } = pool
  const how = { tls, ...(authorities && { authorities }) }
  const itself = [{ target, ...how }]
  if (host.startsWith('[') || isIP(host)) return itself
  // A name that cannot be resolved is dialled all the same: the failure then says so.
  const found = await resolve(host).catch((): Resolved[] => [])
  // With one machine a family it is one pool, and gRPC finds out which family works.
  const several = [4, 6]
    .map((family) => found.filter((one) => one.family === family))
    .find((ofFamily) => ofFamily.length > 1)
  if (!several) return itself
  return shuffled(several).map(({ address, family }) => ({
    target: `${family === 6 ? `[${address}]` : address}:${port}`,
    ...how,
    name: { host, authority: target },
  }))
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

/**
 * Which pool is dialled next: the one after the last, round and round. Names are resolved anew once
 * all were tried.
 */
export class PoolRing {
  private targets: readonly PoolTarget[] = []
  private at = -1
  private tried = 0

  constructor(private readonly read: () => Promise<readonly PoolTarget[]>) {}

  async next(): Promise<PoolTarget> {
    if (this.triedAll) {
      const last = this.targets[this.at]?.target
      this.targets = await this.read()
      this.at = this.targets.findIndex(({ target }) => target === last)
      this.tried = 0
    }
    this.at = (this.at + 1) % this.targets.length
    this.tried++
    return this.targets[this.at]!
  }

  /** The last one was there: should it be lost, none of the others has been tried. */
  reached(): void {
    this.tried = 1
  }

  /** Whether it is time to wait. */
  get triedAll(): boolean {
    return this.tried >= this.targets.length
  }
}

import type { Clock } from '../../ports/clock.ts'
import type { Registry } from '../../ports/registry.ts'

/** What sign-in messages carry, so that each signs in once. The bucket forgets them by itself. */
export interface Nonces {
  issue(): Promise<string>
  /** @returns false: it was used, has expired, or is none of ours */
  use(nonce: string): Promise<boolean>
}

interface Options {
  /** Bucket NONCES. */
  readonly registry: Registry
  readonly clock: Clock
}

const NONCE_BYTES = 16
const NONCE = /^[0-9a-f]{32}$/
const OPEN = 'open'
const USED = 'used'

export function makeNonces({ registry, clock }: Options): Nonces {
  return {
    issue: async () => {
      const nonce = Buffer.from(clock.randomBytes(NONCE_BYTES)).toString('hex')
      await registry.set(nonce, OPEN)
      return nonce
    },
    use: async (nonce) => {
      if (!NONCE.test(nonce)) return false
      const entry = await registry.get(nonce)
      if (entry?.value !== OPEN) return false
      // Of two who use it at once, one wins.
      return (await registry.put(nonce, USED, entry.revision)) !== 'conflict'
    },
  }
}

import { encode } from '../../../src/bus/codec.ts'
import { apiKeyHash, keyProof } from '../../../src/domain/hash.ts'
import type { Address } from '../../../src/domain/ids.ts'
import type { ShownKey } from '../../../src/messages/job.ts'
import { keyRecord } from '../../../src/messages/key-record.ts'
import type { SimNats } from '../nats/server.ts'

const keyOf = (wallet: Address): string => `the key of ${wallet}`

/** As an edge shows the key of a wallet's request. */
export function shownKey(wallet: Address): ShownKey {
  const key = keyOf(wallet)
  return { hash: apiKeyHash(key), proof: keyProof(key) }
}

/** Before a life begins: no process of it lets wallets in. */
export function letIn(nats: SimNats, wallets: readonly Address[]): void {
  for (const wallet of wallets) {
    const value = encode(keyRecord(keyOf(wallet), { wallet, createdAt: 0 }))
    nats.bucket('KEYS').write({ key: shownKey(wallet).hash, value, operation: 'PUT' })
  }
}

import { encode } from '../../../src/bus/codec.ts'
import { apiKeyHash } from '../../../src/domain/hash.ts'
import type { Address } from '../../../src/domain/ids.ts'
import type { UnixMs } from '../../../src/domain/time.ts'
import { type KeyRecord, keyRecord } from '../../../src/messages/key-record.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import type { SimNats } from '../nats/server.ts'

interface Closed {
  /** By the world's clock; undefined: it is open again. */
  readonly since: UnixMs | undefined
}

/** The keys of wallets, as the web app and operators write them. */
export class WalletKeys {
  readonly #nats: SimNats
  readonly #numbers = new Map<Address, number>()
  readonly #closed = new Map<string, Closed>()

  constructor(nats: SimNats) {
    this.#nats = nats
  }

  /** Else the web app says so, and all is as it was. */
  get canBeWritten(): boolean {
    return this.#nats.full !== 'server'
  }

  letIn(wallets: readonly Address[]): void {
    for (const wallet of wallets) this.#write(wallet, 'active')
  }

  /** The one that it may have. */
  of(wallet: Address): string {
    const digits = `${this.#numbers.get(wallet) ?? 0}`
    return `${defaultNames.keyStart}${wallet.slice(digits.length - LENGTH)}${digits}`
  }

  /** It is revoked, and there is another one. */
  change(wallet: Address): void {
    const { world } = this.#nats
    const key = this.of(wallet)
    this.#nats.bucket('KEYS').write({ key: apiKeyHash(key), value: NOTHING, operation: 'DEL' })
    this.#closed.set(key, { since: world.now() })
    this.#numbers.set(wallet, (this.#numbers.get(wallet) ?? 0) + 1)
    this.#write(wallet, 'active')
  }

  /** @returns ends it */
  suspend(wallet: Address): () => void {
    const key = this.of(wallet)
    this.#write(wallet, 'suspended')
    this.#closed.set(key, { since: this.#nats.world.now() })
    return () => {
      if (this.of(wallet) !== key || !this.canBeWritten) return
      this.#write(wallet, 'active')
      this.#closed.set(key, { since: undefined })
    }
  }

  wasClosed(key: string): boolean {
    return this.#closed.has(key)
  }

  /** Since when nothing may be begun with it. */
  closedSince(key: string): UnixMs | undefined {
    return this.#closed.get(key)?.since
  }

  #write(wallet: Address, status: KeyRecord['status']): void {
    const key = this.of(wallet)
    const value = encode(keyRecord(key, { wallet, createdAt: 0, status }))
    this.#nats.bucket('KEYS').write({ key: apiKeyHash(key), value, operation: 'PUT' })
  }
}

const LENGTH = 32
const NOTHING = new Uint8Array()

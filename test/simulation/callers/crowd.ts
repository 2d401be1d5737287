import type { Address } from '../../../src/domain/ids.ts'
import type { World } from '../world.ts'
import { planCall } from './call-plan.ts'
import { Caller } from './caller.ts'
import type { EdgeNode } from './edge-node.ts'
import type { WalletKeys } from './wallet-keys.ts'
import type { Witness } from './witness.ts'

export interface CrowdOptions {
  readonly wallets: readonly Address[]
  readonly models: readonly string[]
  readonly witness: Witness
  readonly keys: WalletKeys
  /** How many ask something. */
  readonly count: number
  /** All have begun by then. */
  readonly withinMs: number
  /** Those that take requests now. */
  edges(): readonly EdgeNode[]
}

/** All callers of a life. Some come in pairs at one moment, for the last credits of a wallet. */
export class Crowd {
  #waitedFor: number

  constructor(
    private readonly world: World,
    private readonly options: CrowdOptions,
  ) {
    this.#waitedFor = options.count
  }

  /** Each has what it wanted, or has given up. */
  get isDone(): boolean {
    return this.#waitedFor === 0
  }

  start(): void {
    const { random } = this.world
    const { count, withinMs, wallets } = this.options
    let pair: { wallet: Address; at: number } | undefined
    for (let n = 1; n <= count; n++) {
      const { wallet, at } = pair ?? {
        wallet: random.pick(wallets),
        at: random.between(0, withinMs),
      }
      pair = pair === undefined && random.chance(0.15) ? { wallet, at } : undefined
      // Some come with what was their key when the life began.
      const key = random.chance(0.5) ? this.options.keys.of(wallet) : undefined
      this.world.after(at, () => this.#begin(n, wallet, key))
    }
  }

  #begin(n: number, wallet: Address, key = this.options.keys.of(wallet)): void {
    const { models, witness, keys, edges } = this.options
    new Caller(this.world, {
      ...{ wallet, key, witness, keys, edges },
      name: `caller-${n}`,
      plan: planCall(models, this.world.random),
      done: () => {
        this.#waitedFor--
      },
    }).start()
  }
}

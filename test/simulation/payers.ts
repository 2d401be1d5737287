import { type Address, toAddress } from '../../src/domain/ids.ts'
import type { AskDepositAddress, DepositAddressReply } from '../../src/messages/keeper.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { SimChain } from './chain/chain.ts'
import type { Kernel } from './kernel.ts'
import { connectHouse } from './nats/connect.ts'
import type { SimNats } from './nats/server.ts'
import { textOf } from './text-of.ts'

interface Options {
  readonly chain: SimChain
  readonly nats: SimNats
  /** Those with a key. */
  readonly wallets: readonly Address[]
  readonly withinMs: number
}

const SOME_PAY = 0.2
const PAYERS_MOST = 3
/** It has no key yet: the desk is asked where to pay. */
const NEWCOMER = toAddress(`0x${'9a'.repeat(20)}`)
/** Some are worth no credits yet, some a fraction of one more than the least. */
const UNITS = [1_000_000n, 1_000_000n, 600_000n, 9_999n, 3_004_999n] as const
const ASK_MS = 2_000
const ASK_AGAIN_MS = 500
const STRANGER_SWEEPS = 0.2
const STRANGER = toAddress(`0x${'9b'.repeat(20)}`)

/** Who pays for a wallet by a plain transfer to its deposit address. */
export class Payers {
  readonly #kernel: Kernel
  readonly #options: Options
  /** Where they may have paid to, by the wallet it is for. */
  readonly #addresses = new Map<Address, Address>()

  constructor(kernel: Kernel, options: Options) {
    const { random } = kernel
    this.#kernel = kernel
    this.#options = options
    if (!random.chance(SOME_PAY)) return
    for (let n = random.few(1, PAYERS_MOST); n > 0; n--) {
      const isNew = random.chance(0.3)
      kernel.after(random.next() * options.withinMs, () => {
        if (isNew) this.#askWhere()
        else this.#pay(random.pick(options.wallets))
      })
    }
  }

  /** What lies where it was sent to, and is worth a deposit. */
  *unrest(): Generator<string, void> {
    const { contract, head } = this.#options.chain
    const least = contract.minimumDeposit * contract.unitsPerCredit
    for (const [wallet, address] of this.#addresses) {
      const units = head.state.tokensOf(address)
      if (units >= least) yield `${units} units lie at the deposit address of ${wallet}`
    }
  }

  #pay(wallet: Address): void {
    const { chain } = this.#options
    const { random } = this.#kernel
    const to = chain.contract.depositAddress(wallet)
    this.#addresses.set(wallet, to)
    for (let times = random.between(1, 2); times > 0; times--) {
      chain.act(wallet, { type: 'mint', to, units: random.pick(UNITS) })
    }
    if (random.chance(STRANGER_SWEEPS)) chain.act(STRANGER, { type: 'sweep', wallet })
  }

  /** The newcomer pays once it is told where: from then on its address is to be watched. */
  #askWhere(): void {
    const kernel = this.#kernel
    const { chain, nats } = this.#options
    if (this.#addresses.has(NEWCOMER) || kernel.nodes.has('newcomer')) return
    const node = kernel.node('newcomer', { sound: true })
    const ask = async (bus: Bus): Promise<void> => {
      const question: AskDepositAddress = { wallet: NEWCOMER }
      const reply = await bus
        .request<DepositAddressReply>(SUBJECTS.depositAddress, question, ASK_MS)
        .catch(() => undefined)
      if (reply?.type !== 'deposit_address') {
        node.clock.after(ASK_AGAIN_MS, () => void ask(bus))
        return
      }
      const right = chain.contract.depositAddress(NEWCOMER)
      if (reply.address !== right) kernel.fail(`told to pay to ${reply.address}, not ${right}`)
      kernel.history.add(node.name, `is told to pay to ${reply.address}`)
      this.#pay(NEWCOMER)
    }
    node.run(() => {
      connectHouse(nats, node)
        .then(({ bus }) => ask(bus))
        .catch((error) => kernel.fail(`the newcomer cannot ask: ${textOf(error)}`))
    })
  }
}

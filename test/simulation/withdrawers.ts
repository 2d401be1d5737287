import { toCredits } from '../../src/domain/credits.ts'
import { type Address, type Hex32, toAddress } from '../../src/domain/ids.ts'
import type {
  WithdrawalVoucher,
  WithdrawCredits,
  WithdrawCreditsReply,
} from '../../src/messages/account.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { SimChain } from './chain/chain.ts'
import type { Kernel } from './kernel.ts'
import { connectHouse } from './nats/connect.ts'
import type { SimNats } from './nats/server.ts'
import { textOf } from './text-of.ts'
import type { Node } from './world.ts'

interface Options {
  readonly chain: SimChain
  readonly nats: SimNats
  readonly wallets: readonly Address[]
  readonly withinMs: number
}

/** A voucher, and each transaction that brought it to the escrow. */
interface Granted {
  readonly voucher: WithdrawalVoucher
  readonly uses: Hex32[]
}

const SOME_WITHDRAW = 0.15
/** What becomes of a voucher; those that are not used in time make a life long, and are few. */
const FATES = [...Array<'used'>(12).fill('used'), 'twice', 'stolen', 'late', 'never'] as const
const ASK_MS = 2_000
const ASK_AGAIN_MS = 700
const WITHIN_A_JOB_MS = 3_000
const TO = toAddress(`0x${'4a'.repeat(20)}`)
const STRANGER = toAddress(`0x${'4b'.repeat(20)}`)

/** Wallets that ask for vouchers while their jobs run, and what they do with them. */
export class Withdrawers {
  readonly #kernel: Kernel
  readonly #options: Options
  readonly #granted: Granted[] = []
  #waiting = 0

  constructor(kernel: Kernel, options: Options) {
    this.#kernel = kernel
    this.#options = options
    const { random } = kernel
    if (!random.chance(SOME_WITHDRAW)) return
    const node = kernel.node('web', { sound: true })
    node.run(() => {
      connectHouse(options.nats, node)
        .then(({ bus }) => this.#plan(node, bus))
        .catch((error) => kernel.fail(`the web app does not start: ${textOf(error)}`))
    })
  }

  /** Those who wait for an answer, and vouchers that are on their way to a block. */
  *unrest(): Generator<string, void> {
    if (this.#waiting > 0) yield `${this.#waiting} ask for vouchers`
    const { chain } = this.#options
    for (const { uses } of this.#granted) {
      for (const tx of uses) if (!chain.find(tx)) yield `the withdrawal ${tx} is in no block`
    }
  }

  /** @param isSure whether nothing but its vouchers has taken from the wallet, and nothing was forgotten */
  judge(isSure: (wallet: Address) => boolean): readonly string[] {
    const { chain } = this.#options
    const seen = new Map<string, WithdrawalVoucher>()
    // One may come late to who asked for it: after it ran out, and after the next one.
    const granted = this.#granted.toSorted((a, b) => a.voucher.deadline - b.voucher.deadline)
    return granted.flatMap(({ voucher, uses }) => {
      const { wallet, nonce, deadline } = voucher
      const name = `the voucher ${nonce} of ${wallet}`
      const flaws: string[] = []
      const brought = uses.flatMap((tx) => chain.find(tx) ?? [])
      const inTime = brought.filter(({ block }) => block.at <= deadline)
      const errors = inTime.flatMap(({ included }) => included.error ?? [])
      if (isSure(wallet) && inTime.length > 0 && errors.length === inTime.length) {
        flaws.push(`${name} is worth nothing in its time: ${errors}`)
      }
      const other = seen.get(`${wallet} ${nonce}`)
      const isOther = other !== undefined && other.signature !== voucher.signature
      // Of one that ran out, the nonce goes on to the next.
      if (isOther && isSure(wallet) && !this.#ranOut(other)) flaws.push(`${name} was given twice`)
      seen.set(`${wallet} ${nonce}`, voucher)
      return flaws
    })
  }

  #ranOut({ deadline }: WithdrawalVoucher): boolean {
    return this.#options.chain.head.at > deadline
  }

  #plan(node: Node, bus: Bus): void {
    const { random } = this.#kernel
    const { wallets, withinMs, nats } = this.#options
    const journal = nats.stream('JOB')
    for (let n = random.few(1, 3); n > 0; n--) {
      const at = random.next() * withinMs
      const [wallet, requestId] = [random.pick(wallets), `withdrawal-${n}`]
      const begin = () => {
        this.#waiting++
        node.run(() => void this.#begin(node, bus, wallet, requestId))
      }
      // Some ask just when a job has begun, and perhaps none does any more.
      const whenAJobBegins = () =>
        journal.onNextStored(() => this.#kernel.after(random.next() * WITHIN_A_JOB_MS, begin))
      this.#kernel.after(at, random.chance(0.5) ? begin : whenAJobBegins)
    }
  }

  async #begin(node: Node, bus: Bus, wallet: Address, requestId: string): Promise<void> {
    const { random } = this.#kernel
    const { available } = this.#options.chain.head.state.account(wallet)
    const credits = toCredits(random.pick([1n, available / 2n, available, available + 1n]))
    const request: WithdrawCredits = { wallet, to: TO, credits, requestId }
    const twice = random.chance(0.2)
    const fate = random.pick(FATES)
    const [granted, again] = await Promise.all([
      this.#ask(node, bus, request),
      twice ? this.#ask(node, bus, request) : undefined,
    ])
    this.#waiting--
    if (again && again !== granted) this.#granted.push({ voucher: again, uses: [] })
    if (!granted) return
    const use = { voucher: granted, uses: [] as Hex32[] }
    this.#granted.push(use)
    const { deadline } = granted
    const ms = random.between(0, 3_000)
    const lateMs = deadline * 1_000 - this.#kernel.now() + random.between(-2_000, 4_000)
    this.#kernel.history.add(node.name, `${requestId} of ${wallet}: ${credits}, to be ${fate}`)
    if (fate !== 'never')
      this.#kernel.after(fate === 'late' ? lateMs : ms, () => this.#use(use, fate))
  }

  #use({ voucher, uses }: Granted, fate: (typeof FATES)[number]): void {
    const { chain } = this.#options
    const { wallet, to, credits, deadline, signature } = voucher
    const call = { type: 'withdraw', voucher: signature, to, credits, deadline } as const
    if (fate === 'stolen') chain.act(STRANGER, call)
    uses.push(chain.act(wallet, call))
    if (fate === 'twice') uses.push(chain.act(wallet, call))
  }

  /** Until it is answered: the same request is given the same voucher. */
  async #ask(
    node: Node,
    bus: Bus,
    request: WithdrawCredits,
  ): Promise<WithdrawalVoucher | undefined> {
    for (;;) {
      const reply = await bus
        .request<WithdrawCreditsReply>(SUBJECTS.accountWithdraw, request, ASK_MS)
        .catch(() => undefined)
      if (reply?.type === 'granted') return reply.voucher
      if (reply?.type === 'refused') {
        const { code } = reply.refusal
        this.#kernel.history.add(node.name, `${request.requestId}: ${code}`)
        return undefined
      }
      await new Promise<void>((resolve) => node.clock.after(ASK_AGAIN_MS, resolve))
    }
  }
}

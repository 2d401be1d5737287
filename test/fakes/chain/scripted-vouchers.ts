import { NO_CREDITS } from '../../../src/domain/credits.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import type {
  OverdueVoucher,
  SeenVouchers,
  SetAside,
  SetAsideReply,
  SetAsides,
} from '../../../src/ports/set-asides.ts'
import type { Vouchers } from '../../../src/ports/vouchers.ts'

/** A chain that says of every wallet's vouchers what the test wants, and signs without a key. */
export class ScriptedVouchers implements Vouchers {
  offered = true
  readonly escrow = toAddress(`0x${'e5'.repeat(20)}`)
  readonly neverPaid: ReadonlySet<Address> = new Set([this.escrow])
  readonly chainId = 31_337
  seen: SeenVouchers = { nonce: 0n, block: 10, time: 1_800_000_000 }
  signed = 0

  async read(): Promise<SeenVouchers> {
    return this.seen
  }

  sign(): Hex {
    this.signed++
    return '0x51'
  }
}

/** Answers in turn what the test has laid out; takes what is wanted when there is none left. */
export class ScriptedSetAsides implements SetAsides {
  replies: SetAsideReply[] = []
  kept: SetAside | undefined
  readonly ended: string[] = []
  asked = 0
  /** Of the chain, as the latest request saw it. */
  time = 0

  async setAside(
    wanted: Omit<SetAside, 'nonce'>,
    { nonce, time }: SeenVouchers,
  ): Promise<SetAsideReply> {
    this.asked++
    this.time = time
    const reply = this.replies.shift()
    if (reply) return reply
    this.kept ??= { ...wanted, nonce }
    return this.kept.requestId === wanted.requestId
      ? { type: 'set_aside', voucher: this.kept }
      : { type: 'insufficient', remaining: NO_CREDITS }
  }

  async held(): Promise<SetAside | undefined> {
    return this.kept
  }

  async end(_wallet: Address, requestId: string): Promise<void> {
    this.ended.push(requestId)
  }

  async overdue(unixSeconds: number): Promise<readonly OverdueVoucher[]> {
    if (!this.kept || this.kept.deadline >= unixSeconds) return []
    return [this.kept]
  }
}

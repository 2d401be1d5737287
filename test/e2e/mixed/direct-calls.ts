import { pause } from '../../until.ts'
import { type MixedCaller, type Stranger, salt, unlessDone } from './callers.ts'

const PAUSE_MS = 300

/**
 * What wallets do on chain by themselves while their jobs run, one after the other, until told to
 * stop: money in by every way, money out, back again, and limits.
 */
export async function directCalls(
  callers: readonly MixedCaller[],
  stranger: Stranger,
  isOver: () => boolean,
): Promise<number> {
  let made = 0
  for (;;) {
    for (const { wallet, customer } of callers) {
      for (const call of [
        () => wallet.deposit(120n),
        () => wallet.requestWithdrawal(60n),
        () => wallet.depositWithPermit(110n),
        () => wallet.cancelWithdrawal(),
        () => wallet.depositWithAuthorization(130n, salt()),
        () => wallet.withdraw(90n),
        () => wallet.payIn(150n * 10_000n + 1n),
        () => unlessDone(() => stranger.wallet.sweep(customer.wallet)),
        () => wallet.setSpendLimit(9),
        () => wallet.setSpendLimit(0),
      ]) {
        if (isOver() && made >= callers.length * 10) return made
        await asOften(call)
        made++
        if (!isOver()) await pause(PAUSE_MS)
      }
    }
  }
}

/** A local node that keeps no history may lose the block that is asked about, before anything is sent. */
async function asOften(call: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await call()
      return
    } catch (error) {
      if (!/BlockOutOfRange/.test(String(error))) throw error
    }
  }
}

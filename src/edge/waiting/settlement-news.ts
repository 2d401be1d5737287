import type { TxHash } from '../../domain/ids.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'

/** The hash of one job's settlement, once it is heard of. */
export class SettlementNews {
  tx: TxHash | undefined
  #waiting: (() => void)[] = []

  hear(tx: TxHash): void {
    this.tx = tx
    for (const tell of this.#waiting.splice(0)) tell()
  }

  /** @returns undefined where nothing is heard within `span` */
  async within(span: DurationMs, clock: Clock): Promise<TxHash | undefined> {
    if (this.tx === undefined && span > 0) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(span, resolve)
        this.#waiting.push(() => {
          cancel()
          resolve()
        })
      })
    }
    return this.tx
  }
}

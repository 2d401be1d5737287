import { toAddress } from '../../domain/ids.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Pools } from '../models/pools.ts'

export interface Readiness {
  /** What this edge needs and does not reach, in words; empty: it can serve. */
  missing(): Promise<readonly string[]>
}

const ANSWER_WITHIN_MS = 1_000
// Nobody's wallet: any answer at all shows that the ledger answers.
const PROBE = toAddress(`0x${'0'.repeat(40)}`)

interface Options {
  readonly bus: Bus
  readonly catalogue: Catalogue
  readonly ledger: Ledger
  /** For who needs to know which models are served. */
  readonly pools?: Pick<Pools, 'heard'>
  readonly clock: Clock
  readonly log: Log
}

export function makeReadiness({ bus, catalogue, ledger, pools, clock, log }: Options): Readiness {
  const answers = async (what: string, question: () => Promise<unknown>): Promise<boolean> => {
    let cancel = () => {}
    const late = new Promise<false>((resolve) => {
      cancel = clock.after(ANSWER_WITHIN_MS satisfies DurationMs, () => resolve(false))
    })
    try {
      return await Promise.race([question().then(() => true), late])
    } catch (error) {
      log.warn({ err: error, what }, 'not ready')
      return false
    } finally {
      cancel()
    }
  }
  return {
    missing: async () => {
      const [nats, redis] = await Promise.all([
        bus.connected && answers('NATS', () => bus.flush()),
        answers('Redis', () => ledger.balance(PROBE)),
      ])
      return [
        ...(nats ? [] : ['NATS']),
        ...(redis ? [] : ['Redis']),
        ...(catalogue.known ? [] : ['the catalogue of models']),
        ...(!pools || pools.heard ? [] : ['the pools']),
      ]
    },
  }
}

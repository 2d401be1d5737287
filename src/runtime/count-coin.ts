import type { Address } from '../domain/ids.ts'
import { type Clock, inTime } from '../ports/clock.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** The addresses of a process that pay for gas, by what each does. */
export type PayingKeys = Readonly<
  Partial<Record<'locker' | 'settler' | 'keeper' | 'relayer', Address>>
>

interface Options {
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
  /** In whole coins. */
  readonly coinOf: (address: Address) => Promise<number>
}

/** Whoever reads the figures waits for a slow node no longer. */
const ANSWER_MS = 2_000

/**
 * What is left for gas, so that it is filled up before a lane stands still. The node is asked when somebody
 * reads the figures; where it does not answer there are none.
 */
export function countCoin({ metrics, clock, log, coinOf }: Options, keys: PayingKeys): void {
  if (Object.keys(keys).length > 0) log.info(keys, 'chain: these addresses pay for gas')
  const told = async ([key, address]: readonly [string, Address]) => {
    const coin = await inTime(clock, ANSWER_MS, coinOf(address)).catch(() => undefined)
    return coin === undefined ? [] : [[key, coin] as const]
  }
  metrics.gauge(
    {
      name: 'svc_key_coin',
      help: "What an address that pays for gas holds of the chain's coin, in whole coins.",
      labels: ['key'],
    },
    async () => new Map((await Promise.all(Object.entries(keys).map(told))).flat()),
  )
}

import { slashedId, type WorkerSlashed } from '../../src/messages/fact.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { ChainFact } from '../../src/ports/escrow.ts'
import type { Facts } from '../../src/ports/facts.ts'
import { makeLines } from '../../src/runtime/lines.ts'
import type { Log } from '../../src/telemetry/log.ts'

/** A worker that has lost stake. */
export interface Slash {
  readonly fact: Extract<ChainFact, { readonly type: 'worker_slashed' }>
  /** How many slashings of that worker came before it in its transaction. */
  readonly place: number
}

/** Tells `worker.slashed`. */
export interface Slashes {
  /** `told` is called once it is stored, unless `stop` comes first. */
  take(slash: Slash, told: () => void): void
  stop(): void
}

interface Options {
  readonly facts: Facts
  readonly clock: Clock
  readonly log: Log
}

export function makeSlashes({ facts, clock, log }: Options): Slashes {
  const lines = makeLines<{ readonly slash: Slash; readonly told: () => void }>({
    clock,
    keyOf: ({ slash }) => slash.fact.signer,
    attempt: ({ slash }) => facts.publish(slashed(slash)),
    done: ({ told }) => told(),
    failed: (error, { slash }) => {
      const worker = slash.fact.signer
      log.warn({ err: error, worker }, 'watcher: a slashing is not told yet, trying again')
    },
  })
  return {
    take: (slash, told) => lines.push({ slash, told }),
    stop: lines.stop,
  }
}

export function slashesOf(facts: readonly ChainFact[]): readonly Slash[] {
  const places = new Map<string, number>()
  return facts.flatMap((fact) => {
    if (fact.type !== 'worker_slashed') return []
    const like = `${fact.tx} ${fact.signer}`
    const place = places.get(like) ?? 0
    places.set(like, place + 1)
    return [{ fact, place }]
  })
}

const UNITS_PER_TOKEN = 10n ** 18n

function slashed({ fact, place }: Slash): WorkerSlashed {
  const { signer: worker, amount, reason, relatedJobId, tx, at } = fact
  return {
    id: slashedId(worker, tx, place),
    type: 'worker.slashed',
    worker,
    at,
    data: {
      worker_address: worker,
      slash_amount_rcompute: Number(amount / UNITS_PER_TOKEN),
      slash_tx: tx,
      reason,
      related_job_id: relatedJobId,
    },
  }
}

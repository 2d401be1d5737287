import type { Traceparent } from '../../src/domain/traceparent.ts'
import type { Lane } from '../../src/messages/subjects.ts'
import type { Batch } from '../../src/ports/escrow.ts'
import type { Traces } from '../../src/telemetry/traces.ts'
import type { Included } from './inclusion.ts'

/** How a traced transaction ended; undefined: it was left to the lane's next owner, or next try. */
export type EndTransaction = (included: Included | undefined) => void

/**
 * One span a transaction, from its sending to its receipt. It carries many jobs, each with a trace of its
 * own: so it refers to their spans and belongs to none. Undefined: none of them is traced.
 */
export function traceTransaction(
  traces: Traces | undefined,
  lane: Lane,
  batch: Batch,
): EndTransaction | undefined {
  const origins = traces && originsOf(batch)
  if (!traces || !origins || origins.length === 0) return undefined
  const about = { 'svc.lane': lane, 'svc.items': batch.items.length }
  const span = traces.gather(`chain ${batch.type}`, origins, about)
  return (included) => {
    if (!included) return span.end({ 'error.type': 'interrupted' })
    const { hash, block, gas, succeeded } = included.receipt
    span.end({
      'svc.tx': hash,
      'svc.block': block,
      'svc.gas': gas,
      'svc.items': included.batch.items.length,
      ...(succeeded ? {} : { 'error.type': 'reverted' }),
    })
  }
}

const originsOf = (batch: Batch): Traceparent[] =>
  batch.type === 'register' ? [] : batch.items.flatMap(({ trace }) => trace ?? [])

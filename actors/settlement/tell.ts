import type { JobId, TxHash } from '../../src/domain/ids.ts'
import { unreachable } from '../../src/domain/result.ts'
import type { EdgeMessage } from '../../src/messages/edge.ts'
import type { JobCommand } from '../../src/messages/job.ts'
import type { LaneIntent } from '../../src/messages/lane.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Batch } from '../../src/ports/escrow.ts'
import { makeDoubts } from './doubts.ts'
import type { RouteAt } from './options.ts'
import type { Outcome } from './outcome.ts'

/** Tells jobs and edges. Never waits: a job that missed it asks again. */
export interface Teller {
  /** The batch is signed, stored and taken by the node. */
  broadcast(batch: Batch, tx: TxHash): void
  outcome(outcome: Outcome, asked: LaneIntent['type']): void
}

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  readonly confirmLockAt: RouteAt
}

export function makeTeller({ bus, clock, confirmLockAt }: Options): Teller {
  const doubts = makeDoubts()
  const toJob = (command: JobCommand) => bus.publish(SUBJECTS.jobCommand(command.jobId), command)
  return {
    broadcast: (batch, tx) => {
      const at = clock.now()
      switch (batch.type) {
        case 'lock':
          if (confirmLockAt === 'included') return
          for (const lock of batch.items) {
            const { jobId, wallet } = lock
            doubts.sent(lock)
            if (!doubts.about(wallet)) toJob({ type: 'ConfirmLock', jobId, tx, block: 0, at })
          }
          return
        case 'settle':
          tellEdges(bus, batch.items, tx)
          return
        case 'refund':
          for (const { jobId } of batch.items) {
            toJob({ type: 'ConfirmRefund', jobId, tx, block: null, at })
          }
          return
        case 'dispute':
          for (const { jobId, claimedHash } of batch.items) {
            toJob({ type: 'ConfirmDispute', jobId, tx, block: null, claimedHash, at })
          }
          return
        case 'register':
          return
        default:
          unreachable(batch)
      }
    },
    outcome: (outcome, asked) => {
      // Settlements are final only after some blocks: the chain watcher tells of them.
      if (outcome.type === 'settled' && asked === 'settle') return
      doubts.heard(outcome)
      toJob({ at: clock.now(), ...commandOf(outcome) })
    },
  }
}

function tellEdges(
  bus: Bus,
  items: readonly { readonly jobId: JobId; readonly notify?: string }[],
  tx: TxHash,
): void {
  const inboxes = new Map<string, EdgeMessage[]>()
  for (const { jobId, notify } of items) {
    if (notify === undefined) continue
    const message: EdgeMessage = { type: 'settlement_sent', jobId, tx }
    const inbox = inboxes.get(notify)
    if (inbox) inbox.push(message)
    else inboxes.set(notify, [message])
  }
  for (const [inbox, messages] of inboxes) bus.publish(inbox, messages)
}

type Untimed<Command> = Command extends unknown ? Omit<Command, 'at'> : never
type Told = Extract<
  JobCommand,
  {
    type:
      | 'ConfirmLock'
      | 'RefuseLock'
      | 'ConfirmSettlement'
      | 'RefuseSettlement'
      | 'ConfirmRefund'
      | 'ConfirmDispute'
      | 'RefuseDispute'
  }
>

function commandOf(outcome: Outcome): Untimed<Told> {
  switch (outcome.type) {
    case 'locked':
      return { ...outcome, type: 'ConfirmLock' }
    case 'lock_refused':
      return { ...outcome, type: 'RefuseLock' }
    case 'settled':
      return { ...outcome, type: 'ConfirmSettlement' }
    case 'settle_refused':
      return { ...outcome, type: 'RefuseSettlement' }
    case 'refunded':
      return { ...outcome, type: 'ConfirmRefund' }
    case 'disputed':
      return { ...outcome, type: 'ConfirmDispute' }
    case 'dispute_refused':
      return { ...outcome, type: 'RefuseDispute' }
    default:
      return unreachable(outcome)
  }
}

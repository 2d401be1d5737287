import { isReadableOnChain } from '../../src/domain/proof.ts'
import {
  EQUIVOCATIONS,
  type EquivocationEnd,
  type EquivocationRecord,
} from '../../src/messages/strikes.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { KeeperReader } from '../../src/ports/keeper.ts'
import type { Registry, RegistryEntry } from '../../src/ports/registry.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Hands } from './hands.ts'

interface Options {
  /** Bucket STRIKES. */
  readonly strikes: Registry
  readonly reader: KeeperReader
  readonly hands: Hands
  readonly clock: Clock
  readonly log: Log
  /** A slash this deep is believed. */
  readonly confirmations: number
}

/** Proofs of workers that signed two different completions of one job, on their way to the chain. */
export interface Proofs {
  /** Calls for each proof that is there now or comes later. */
  start(found: () => void): Promise<void>
  /** Sends one of them, or finds that there is nothing to send. @returns whether one was sent */
  sendOne(head: number): Promise<boolean>
  stop(): void
}

/** One whole RCompute. A worker with less would cost its keeper more gas than it loses. */
const WORTH_UNITS = 10n ** 18n
/** Looks of one turn: each asks the node up to three questions. */
const LOOKS_MAX = 8
const LOOK_AGAIN_MS = 10_000

interface Open {
  readonly record: EquivocationRecord
  readonly revision: number
}

export function makeProofs(options: Options): Proofs {
  const { strikes, reader, hands, clock, log, confirmations } = options
  const open = new Map<string, Open>()
  let stop = () => {}

  const know = (key: string, entry: RegistryEntry | undefined) => {
    const record = entry?.value as EquivocationRecord | undefined // only pools and keepers write here
    if (!entry || !record || record.closed) open.delete(key)
    else open.set(key, { record, revision: entry.revision })
  }

  const close = async (key: string, { record, revision }: Open, because: EquivocationEnd) => {
    const { worker, jobId } = record
    const closed: EquivocationRecord = { ...record, closed: { because, at: clock.now() } }
    if ((await strikes.put(key, closed, revision)) === 'conflict') {
      // Somebody has written it meanwhile: the next turn looks at what is there now.
      know(key, await strikes.get(key))
      return
    }
    open.delete(key)
    log.info({ worker, jobId, because }, 'keeper: done with a proof of two signed answers')
  }

  /** Why there is nothing to send, if there is nothing; `unsure`: blocks that do not count yet say so. */
  const endOf = async (
    { worker, workerId, jobId, completions }: EquivocationRecord,
    head: number,
  ): Promise<EquivocationEnd | 'unsure' | undefined> => {
    if (!completions.every(isReadableOnChain)) {
      log.warn({ worker, jobId }, 'keeper: a proof holds figures that the contract cannot read')
      return 'refused'
    }
    const sureBlock = Math.max(0, head - confirmations + 1)
    if (await reader.isPunished(workerId, jobId, sureBlock)) return 'punished'
    if ((await reader.stakeOf(workerId)) >= WORTH_UNITS) return undefined
    // What took it may be the slash for this very job, in a block that may still go.
    const sureStake = await reader.stakeOf(workerId, sureBlock)
    return sureStake < WORTH_UNITS ? 'nothing_at_stake' : 'unsure'
  }

  return {
    start: async (found) => {
      stop = await strikes.watch(EQUIVOCATIONS, (key, entry) => {
        know(key, entry)
        if (open.has(key)) found()
      })
    },
    sendOne: async (head) => {
      let looks = 0
      for (const [key, each] of open) {
        const { workerId, jobId, completions } = each.record
        const call = { type: 'prove_equivocation', workerId, jobId, completions } as const
        if (!hands.isReady(call)) continue
        const end = await endOf(each.record, head)
        if (!end) {
          const performed = await hands.perform(call)
          if (performed === 'hopeless') await close(key, each, 'refused')
          return performed === 'done'
        }
        if (end === 'unsure') hands.rest(call, LOOK_AGAIN_MS)
        else await close(key, each, end)
        if (++looks === LOOKS_MAX) break
      }
      return false
    },
    stop: () => stop(),
  }
}

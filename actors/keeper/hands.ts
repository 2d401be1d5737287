import { unreachable } from '../../src/domain/result.ts'
import type { DurationMs } from '../../src/domain/time.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { KeeperCall, KeeperOutcome, KeeperWriter } from '../../src/ports/keeper.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { makePatience } from './patience.ts'

/** Makes calls, one at a time, and knows which of them are better left alone for now. */
export interface Hands {
  isReady(call: KeeperCall): boolean
  /** Not before `span` has passed. */
  rest(call: KeeperCall, span: DurationMs): void
  /** Never throws: what could not be done is tried again later. */
  perform(call: KeeperCall): Promise<Performed>
}
export type Performed = 'done' | 'needless' | 'hopeless' | 'not_done'

export interface HandsOptions {
  readonly writer: KeeperWriter
  readonly clock: Clock
  readonly log: Log
  /** Most wei a unit of gas for the money of callers. */
  readonly feeCeilingWei: bigint
  /** The same for claims, which lose nothing by waiting. */
  readonly claimFeeCeilingWei: bigint
}

/** Until the chain's own events must have told of it. A deposit address may fill again at once. */
const DONE_REST_MS = 30_000
const doneRest = ({ type }: KeeperCall): DurationMs => (type === 'sweep' ? 0 : DONE_REST_MS)
const DEAR_REST_MS = 30_000
const UNFUNDED_REST_MS = 10_000
/** An empty purse is told of again from time to time: somebody has to fill it. */
const UNFUNDED_TELL_MS = 10 * 60 * 1_000

export function makeHands(options: HandsOptions): Hands {
  const { writer, clock, log } = options
  const patience = makePatience(clock)
  const purse = makePurse(options)
  /** Ceilings that gas is known to be above: claims have their own. */
  const dear = new Set<bigint>()
  const ceilingOf = ({ type }: KeeperCall) =>
    type === 'claim' ? options.claimFeeCeilingWei : options.feeCeilingWei

  const judge = (call: KeeperCall, outcome: KeeperOutcome): Performed => {
    const key = keyOf(call)
    const told = toldOf(call)
    switch (outcome.type) {
      case 'done':
        dear.delete(ceilingOf(call))
        // No other end of a call tells: what is refused, or in vain, has cost nothing.
        purse.filled()
        log.info({ ...told, tx: outcome.tx }, `keeper: ${DONE[call.type]}`)
        patience.rest(key, doneRest(call))
        return 'done'
      case 'needless':
        log.debug({ ...told, reason: outcome.reason }, 'keeper: nothing left to do')
        // Perhaps only its nonce went to another transaction: what still lies there is tried again, later each time.
        if (call.type === 'sweep') patience.failed(key)
        else patience.rest(key, DONE_REST_MS)
        return 'needless'
      case 'refused': {
        const about = { ...told, reason: outcome.reason }
        if (patience.failed(key))
          log.warn(about, 'keeper: refused by the chain, trying again later')
        else log.debug(about, 'keeper: still refused by the chain')
        return 'not_done'
      }
      case 'hopeless':
        log.warn({ ...told, reason: outcome.reason }, 'keeper: refused by the chain for good')
        return 'hopeless'
      case 'too_dear': {
        const about = { feeWei: outcome.feeWei, ceilingWei: ceilingOf(call) }
        if (!dear.has(about.ceilingWei)) log.warn(about, 'keeper: gas is too dear, waiting')
        dear.add(about.ceilingWei)
        patience.rest(key, DEAR_REST_MS)
        return 'not_done'
      }
      case 'unfunded':
        purse.empty(outcome)
        return 'not_done'
      default:
        return unreachable(outcome)
    }
  }

  return {
    isReady: (call) => !purse.isEmpty() && patience.isReady(keyOf(call)),
    rest: (call, span) => patience.rest(keyOf(call), span),
    perform: async (call) => {
      try {
        return judge(call, await writer.perform(call, ceilingOf(call)))
      } catch (error) {
        const about = { ...toldOf(call), err: error }
        if (patience.failed(keyOf(call))) log.warn(about, 'keeper: not done, trying again later')
        else log.debug(about, 'keeper: still not done')
        return 'not_done'
      }
    },
  }
}

const DONE: Readonly<Record<KeeperCall['type'], string>> = {
  refund: 'a forgotten lock was given back',
  end_dispute: 'a dispute that nobody decided was ended',
  sweep: 'what arrived at a deposit address became credits',
  claim: 'earnings were paid out',
  prove_equivocation: 'a worker that signed two answers to one job was slashed',
}

/** What logs say of a call. */
function toldOf(call: KeeperCall): Readonly<Record<string, unknown>> {
  if (call.type !== 'prove_equivocation') return call
  const { type, workerId, jobId } = call
  return { type, workerId, jobId }
}

function keyOf(call: KeeperCall): string {
  switch (call.type) {
    case 'refund':
    case 'end_dispute':
      return `${call.type}.${call.jobId}`
    case 'sweep':
      return `sweep.${call.wallet}`
    case 'claim':
      return `claim.${call.earner}`
    case 'prove_equivocation':
      return `prove_equivocation.${call.workerId}.${call.jobId}`
    default:
      return unreachable(call)
  }
}

/** Whether the keeper's address can pay for gas. */
function makePurse({ writer, clock, log }: HandsOptions) {
  let emptyUntil = 0
  let tellAt: number | undefined
  return {
    isEmpty: () => clock.monotonic() < emptyUntil,
    empty: ({ balanceWei, neededWei }: Extract<KeeperOutcome, { type: 'unfunded' }>) => {
      emptyUntil = clock.monotonic() + UNFUNDED_REST_MS
      if (tellAt !== undefined && clock.monotonic() < tellAt) return
      tellAt = clock.monotonic() + UNFUNDED_TELL_MS
      // On some chains a second fee comes on top of the gas: then what would do for gas is refused, too.
      const leastWei = neededWei > balanceWei ? neededWei - balanceWei : neededWei
      log.error(
        { address: writer.address, balanceWei, neededWei },
        `keeper: has no gas money. Send the chain's own coin to ${writer.address}, at least ` +
          `${leastWei} wei for the next call and as much again for each that follows; ` +
          'until then refunds, sweeps and claims wait',
      )
    },
    filled: () => {
      if (tellAt !== undefined) log.info({ address: writer.address }, 'keeper: has gas money again')
      tellAt = undefined
    },
  }
}

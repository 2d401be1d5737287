import type { Credits } from '../../../src/domain/credits.ts'
import type { Address, JobId, TxHash } from '../../../src/domain/ids.ts'
import { toHex32 } from '../../../src/domain/ids.ts'
import { priceOf } from '../../../src/domain/pricing.ts'
import type { Tier } from '../../../src/domain/tiers.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { LaneHealth, LaneIntent } from '../../../src/messages/lane.ts'
import { LANES, SUBJECTS } from '../../../src/messages/subjects.ts'
import type { Bus } from '../../../src/ports/bus.ts'
import type { Node, World } from '../world.ts'

interface Locked {
  readonly wallet: Address
  readonly credits: Credits
  readonly tier: Tier
  readonly block: number
  end?: { readonly type: 'settled' | 'refunded'; readonly tx: TxHash; readonly block: number }
}

const HEALTH_MS = 500
const BLOCK_MS = 1_000
const ANSWER_MS = 2_000

/**
 * In place of lanes and chain, where those are not what a test is about: it does what it is asked a
 * moment later, once, and says so.
 */
export class WordOfChain {
  readonly jobs = new Map<JobId, Locked>()
  #block = 100
  #transactions = 0
  readonly #world: World
  readonly #node: Node
  readonly #bus: Bus

  constructor(world: World, node: Node, bus: Bus) {
    this.#world = world
    this.#node = node
    this.#bus = bus
    node.clock.every(HEALTH_MS, () => {
      for (const lane of LANES) {
        const health: LaneHealth = { lane, heldUp: null, waiting: 0, oldestMs: 0 }
        bus.publish(SUBJECTS.laneHealth, health)
      }
    })
    node.clock.every(BLOCK_MS, () => {
      this.#block++
    })
    for (const lane of LANES) {
      bus.subscribe(SUBJECTS.lane(lane), (message) => {
        for (const intent of [message as LaneIntent | LaneIntent[]].flat()) this.#asked(intent)
      })
    }
  }

  #asked(intent: LaneIntent): void {
    const act = () => this.#do(intent)
    this.#node.clock.after(this.#world.random.between(50, 1_500), act)
  }

  #do(intent: LaneIntent): void {
    const { jobId } = intent
    const at = this.#node.clock.now()
    const job = this.jobs.get(jobId)
    switch (intent.type) {
      case 'lock': {
        if (!job && intent.abandon) {
          this.#tell({ type: 'RefuseLock', jobId, reason: 'abandoned', at })
          return
        }
        const locked = job ?? { ...intent, block: this.#block }
        this.jobs.set(jobId, locked)
        this.#tell({ type: 'ConfirmLock', jobId, tx: txOf('a', jobId), block: locked.block, at })
        return
      }
      case 'settle': {
        if (!job || job.end?.type === 'refunded') return
        job.end ??= { type: 'settled', tx: this.#tx(), block: this.#block }
        const { tx, block } = job.end
        const charged = priceOf(job.tier, intent.completion.outputTokens)
        const sent = { type: 'settlement_sent', jobId, tx }
        if (intent.notify !== undefined) this.#bus.publish(intent.notify, [sent])
        this.#tell({ type: 'ConfirmSettlement', jobId, tx, block, charged, at })
        return
      }
      case 'refund': {
        if (!job || job.end?.type === 'settled') return
        job.end ??= { type: 'refunded', tx: this.#tx(), block: this.#block }
        const { tx, block } = job.end
        this.#tell({ type: 'ConfirmRefund', jobId, tx, block, at })
        return
      }
      case 'dispute': {
        const { claimedHash } = intent
        const tx = txOf('d', jobId)
        const said = { type: 'ConfirmDispute', jobId, tx, claimedHash, at } as const
        this.#tell({ ...said, block: this.#block })
        return
      }
    }
  }

  /** A job that does not hear asks again. */
  #tell(command: JobCommand): void {
    const { type, jobId } = command
    this.#bus.request(SUBJECTS.jobCommand(jobId), command, ANSWER_MS).catch((error: unknown) => {
      this.#world.history.add(this.#node.name, `${type} ${jobId}: ${error}`)
    })
  }

  #tx(): TxHash {
    return toHex32(`0x${(++this.#transactions).toString(16).padStart(64, '0')}`)
  }
}

const txOf = (kind: 'a' | 'd', jobId: JobId): TxHash =>
  toHex32(`0x${kind}${Buffer.from(jobId).toString('hex').slice(-63).padStart(63, '0')}`)

import { type LaneActor, makeLane } from '../../../actors/settlement/lane.ts'
import { makeLaneMetrics } from '../../../actors/settlement/lane-metrics.ts'
import { type ChainConnection, connectChain } from '../../../src/chain/connect.ts'
import { type ClosableWriter, type GasTerms, makeEscrowWriter } from '../../../src/chain/writer.ts'
import type { JobId } from '../../../src/domain/ids.ts'
import { makeJobId } from '../../../src/domain/ids.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { LaneHealth } from '../../../src/messages/lane.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import type { TransactionSigner } from '../../../src/ports/signer.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { noMetrics } from '../no-metrics.ts'
import { addressOf, KEYS, type LocalChain, SIGNERS } from './anvil.ts'
import { GAS_TERMS } from './gas-terms.ts'
import { lock } from './intents.ts'
import { JobBus } from './job-bus.ts'
import { MemoryJournal } from './memory-journal.ts'

const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

interface Life {
  readonly lane: LaneActor
  readonly chain: ChainConnection
  readonly writer: ClosableWriter
}

/** A lock lane on a real node, whose blocks come when the test says so. */
export class LaneOnAnvil {
  readonly bus = new JobBus()
  readonly journal = new MemoryJournal()
  readonly told = new Map<JobId, JobCommand[]>()
  health: LaneHealth | undefined
  readonly #local: LocalChain
  readonly #terms: Partial<GasTerms>
  readonly #signer: TransactionSigner
  #life: Life | undefined

  private constructor(local: LocalChain, terms: Partial<GasTerms>, signer: TransactionSigner) {
    this.#local = local
    this.#terms = terms
    this.#signer = signer
    this.bus.subscribe('cmd.*.*.*', (message) => {
      const command = message as JobCommand
      this.told.set(command.jobId, [...(this.told.get(command.jobId) ?? []), command])
    })
    this.bus.subscribe(SUBJECTS.laneHealth, (message) => {
      this.health = message as LaneHealth
    })
  }

  static async start(
    local: LocalChain,
    terms: Partial<GasTerms>,
    signer: TransactionSigner = SIGNERS.lock,
  ): Promise<LaneOnAnvil> {
    const house = new LaneOnAnvil(local, terms, signer)
    await house.begin()
    return house
  }

  /** @param signer another key of the lane's from now on */
  async begin(signer = this.#signer): Promise<void> {
    const { rpcUrl, contracts } = this.#local
    const chain = await connectChain({ rpcUrl, contracts, log })
    const signers = { lock: signer, settle: SIGNERS.settle }
    const terms = { ...GAS_TERMS, ...this.#terms }
    const writer = makeEscrowWriter({ rpcUrl, contracts, signers, log, terms })
    const lane = makeLane({
      ...{ lane: 'lock', bus: this.bus, journal: this.journal, clock: systemClock, log },
      ...{ writer, reader: chain.reader, itemsMax: 200, confirmLockAt: 'included' },
      metrics: makeLaneMetrics(noMetrics),
    })
    this.#life = { lane, chain, writer }
    await lane.start()
  }

  /** Ends the lane as a host that goes does: it offers nothing any more; the outbox stays. */
  async end(): Promise<void> {
    const life = this.#life
    this.#life = undefined
    await life?.lane.stop()
    await Promise.all([life?.chain.close(), life?.writer.close()])
  }

  newJobs(count: number): JobId[] {
    return Array.from({ length: count }, () =>
      makeJobId(systemClock.now(), systemClock.randomBytes(16)),
    )
  }

  ask(jobs: readonly JobId[]): void {
    const wallet = addressOf(KEYS.wallet)
    for (const jobId of jobs) this.bus.publish(SUBJECTS.lane('lock'), lock(jobId, { wallet }))
  }

  /** Waits until each job has heard of its lock. @returns the hashes told */
  async locked(jobs: readonly JobId[]): Promise<readonly string[]> {
    const confirmed = (jobId: JobId) =>
      this.told.get(jobId)?.findLast((command) => command.type === 'ConfirmLock')
    await until(`the locks of ${jobs.length} jobs`, () => jobs.every(confirmed))
    return jobs.map((jobId) => (confirmed(jobId) as { tx: string }).tx)
  }

  /** The attempts in the outbox, oldest first. */
  attempts(): readonly { readonly hash: string; readonly raw: Hex; readonly earlier?: string[] }[] {
    return this.journal.records
      .map(({ body }) => body as { type: string; hash: string; raw: Hex; earlier?: string[] })
      .filter(({ type }) => type === 'transaction')
  }

  async mine(blocks = 1): Promise<void> {
    for (let i = 0; i < blocks; i++) await this.#local.rpc.call('evm_mine', [])
  }

  /** Blocks every 100 ms, each with this base fee, until the returned function is called. */
  mineDearly(baseFeeGwei: () => number): () => Promise<void> {
    let on = true
    const running = (async () => {
      while (on) {
        const wei = `0x${BigInt(Math.round(baseFeeGwei() * 1e9)).toString(16)}`
        await this.#local.rpc.call('anvil_setNextBlockBaseFeePerGas', [wei])
        await this.mine()
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    })()
    return async () => {
      on = false
      await running
    }
  }
}

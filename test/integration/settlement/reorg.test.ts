import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ChainWatcher, makeChainWatcher } from '../../../actors/chain-watcher/watcher.ts'
import { makeWatcherMetrics } from '../../../actors/chain-watcher/watcher-metrics.ts'
import { type LaneActor, makeLane } from '../../../actors/settlement/lane.ts'
import { makeLaneMetrics } from '../../../actors/settlement/lane-metrics.ts'
import { type ChainConnection, connectChain } from '../../../src/chain/connect.ts'
import { type ClosableWriter, makeEscrowWriter } from '../../../src/chain/writer.ts'
import { type JobId, makeJobId } from '../../../src/domain/ids.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { LaneIntent, RegisterReply } from '../../../src/messages/lane.ts'
import { LANES, SUBJECTS } from '../../../src/messages/subjects.ts'
import type { ChainFact } from '../../../src/ports/escrow.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { addressOf, KEYS, type LocalChain, SIGNERS, startChain } from '../../fakes/chain/anvil.ts'
import { CursorRegistry } from '../../fakes/chain/cursor-registry.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { lock, refund } from '../../fakes/chain/intents.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { RecordingLedger } from '../../fakes/chain/recording-ledger.ts'
import { registrationOf, settlementOf } from '../../fakes/chain/signed-work.ts'
import { ToldFacts } from '../../fakes/chain/told-facts.ts'
import { noMetrics } from '../../fakes/no-metrics.ts'
import { until } from '../../until.ts'

/** A chain that replaces its last three blocks, and a house that calls final what is four deep. */
const Reorg = suite('reorg within the confirmations')
const WALLET = addressOf(KEYS.wallet)
const CONFIRMATIONS = 4
const DEPTH = 3
const PRICE = 8n
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

let local: LocalChain
let chain: ChainConnection
let writer: ClosableWriter
let lanes: readonly LaneActor[] = []
let watcher: ChainWatcher
const ledger = new RecordingLedger()
const bus = new JobBus()
const told: JobCommand[] = []

Reorg.before(async () => {
  local = await startChain(10_000n, true)
  const { rpcUrl, contracts } = local
  chain = await connectChain({ rpcUrl, contracts, log })
  writer = makeEscrowWriter({ rpcUrl, contracts, signers: SIGNERS, log, terms: GAS_TERMS })
  bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    told.push(message as JobCommand)
    respond({ type: 'accepted' })
  })
  const { reader } = chain
  const common = { bus, clock: systemClock, log, reader }
  const journal = new MemoryJournal()
  const metrics = makeLaneMetrics(noMetrics)
  lanes = LANES.map((lane) =>
    makeLane({
      ...{ ...common, lane, journal, writer, metrics },
      ...{ itemsMax: 200, confirmLockAt: 'included' },
    }),
  )
  for (const lane of lanes) await lane.start()
  watcher = makeChainWatcher({
    metrics: makeWatcherMetrics(noMetrics),
    ...{ ...common, ...new ToldFacts().ports, ledger, registry: new CursorRegistry() },
    ...{ confirmations: CONFIRMATIONS, deployBlock: contracts.deployBlock },
  })
  await watcher.start()
  const wish = registrationOf(contracts, WALLET)
  await bus.request<RegisterReply>(SUBJECTS.workerRegister, wish, 30_000)
  await local.rpc.call('evm_setAutomine', [false])
})

Reorg.after(async () => {
  await Promise.all([...lanes.map((lane) => lane.stop()), watcher?.stop()])
  await Promise.all([chain?.close(), writer?.close()])
  await local?.stop()
})

const say = (...intents: LaneIntent[]) => {
  for (const intent of intents) {
    bus.publish(SUBJECTS.lane(intent.type === 'lock' ? 'lock' : 'settle'), intent)
  }
}
const mine = async (blocks = 1) => {
  for (let i = 0; i < blocks; i++) await local.rpc.call('evm_mine', [])
}
const isSent = async () =>
  Number((await local.rpc.call<{ pending: string }>('txpool_status', [])).pending) > 0
/**
 * Mines until each job's history on chain ends so. A block only where something waits for it: empty
 * ones would make final what the reorg is to take back.
 */
const mineUntil = (jobs: readonly JobId[], type: ChainFact['type']) =>
  until(`${type} of ${jobs.length} jobs`, async () => {
    const ends = await Promise.all(
      jobs.map(async (jobId) => (await chain.reader.jobFacts(jobId)).at(-1)?.type),
    )
    if (ends.every((end) => end === type)) return true
    if (await isSent()) await mine()
    return false
  })
const heard = (jobId: JobId, type: JobCommand['type']) =>
  told.filter((command) => command.jobId === jobId && command.type === type)
const available = async () => (await chain.reader.account(WALLET)).available

Reorg('lost settlements and refunds come back, settled only when final, paid once', async () => {
  const before = await available()
  const jobs = Array.from({ length: 6 }, () =>
    makeJobId(systemClock.now(), systemClock.randomBytes(16)),
  )
  const [paid, returned] = [jobs.slice(0, 3), jobs.slice(3)]
  say(...jobs.map((jobId) => lock(jobId, { wallet: WALLET })))
  await mineUntil(jobs, 'locked')
  await mine(CONFIRMATIONS)
  say(...paid.map((jobId) => settlementOf(local.contracts, jobId)), ...returned.map(refund))
  await mineUntil(paid, 'settled')
  await mineUntil(returned, 'refunded')
  const { block } = (await chain.reader.jobFacts(paid[0]!)).at(-1)!
  assert.is(await available(), before - 3n * PRICE)
  for (const jobId of paid) {
    assert.equal(heard(jobId, 'ConfirmSettlement'), [], 'in a block is not final')
  }

  const { number } = await chain.reader.head()
  await local.rpc.call('anvil_reorg', [number - block + 1, []])
  assert.ok(number - block + 1 <= DEPTH, 'the reorg is within the confirmations')
  assert.is(await available(), before - 6n * PRICE, 'the chain has lost them')

  await mineUntil(paid, 'settled')
  await mineUntil(returned, 'refunded')
  for (const jobId of paid) assert.equal(heard(jobId, 'ConfirmSettlement'), [])
  const again = (await chain.reader.jobFacts(paid[0]!)).at(-1)!.block
  const head = (await chain.reader.head()).number
  await mine(Math.max(0, again + CONFIRMATIONS - 2 - head))
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  if ((await chain.reader.head()).number === again + CONFIRMATIONS - 2) {
    for (const jobId of paid) assert.equal(heard(jobId, 'ConfirmSettlement'), [], 'one is missing')
  }
  await mine(CONFIRMATIONS)
  await until('settlements told', () =>
    paid.every((jobId) => heard(jobId, 'ConfirmSettlement').length > 0),
  )
  for (const jobId of paid) {
    const [command] = heard(jobId, 'ConfirmSettlement')
    const history = await chain.reader.jobFacts(jobId)
    const settled = history.filter(({ type }) => type === 'settled')
    assert.is(settled.length, 1, 'paid once')
    assert.ok(command?.type === 'ConfirmSettlement')
    assert.is(command.block, settled[0]!.block)
    assert.is(command.tx, settled[0]!.tx)
  }
  for (const jobId of returned) {
    const history = await chain.reader.jobFacts(jobId)
    assert.is(history.filter(({ type }) => type === 'refunded').length, 1)
  }
  assert.is(await available(), before - 3n * PRICE)
  const counts = () =>
    ['locked', 'settled', 'refunded'].map(
      (kind) => ledger.applied.filter((entry) => entry.kind === kind).length,
    )
  // The refunds may stand in a later block than what was waited for.
  await until('the refunds in the ledger', () => counts()[2]! >= 3)
  assert.equal(counts(), [6, 3, 3])
  assert.is(ledger.forgotten, 0, 'what was read was final: no balance had to be read anew')
})

Reorg.run()

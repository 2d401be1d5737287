import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ChainWatcher, makeChainWatcher } from '../../../actors/chain-watcher/watcher.ts'
import { makeWatcherMetrics } from '../../../actors/chain-watcher/watcher-metrics.ts'
import { type LaneActor, makeLane } from '../../../actors/settlement/lane.ts'
import { makeLaneMetrics } from '../../../actors/settlement/lane-metrics.ts'
import { type ChainConnection, connectChain } from '../../../src/chain/connect.ts'
import { type ClosableWriter, makeEscrowWriter } from '../../../src/chain/writer.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { type JobId, makeJobId } from '../../../src/domain/ids.ts'
import type { EdgeMessage } from '../../../src/messages/edge.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { LaneIntent, RegisterReply } from '../../../src/messages/lane.ts'
import { type Lane, SUBJECTS } from '../../../src/messages/subjects.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { addressOf, KEYS, type LocalChain, SIGNERS, startChain } from '../../fakes/chain/anvil.ts'
import { CursorRegistry } from '../../fakes/chain/cursor-registry.ts'
import { makeEscrowCaller } from '../../fakes/chain/escrow-caller.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { CLAIMED, dispute, lock, refund } from '../../fakes/chain/intents.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { RecordingLedger } from '../../fakes/chain/recording-ledger.ts'
import { registrationOf, settlementOf } from '../../fakes/chain/signed-work.ts'
import { ToldFacts } from '../../fakes/chain/told-facts.ts'
import { noMetrics } from '../../fakes/no-metrics.ts'
import { until } from '../../until.ts'

const WALLET = addressOf(KEYS.wallet)
const CREDITS = 1_000_000n
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

let local: LocalChain
let chain: ChainConnection
let writer: ClosableWriter
const bus = new JobBus()
const journal = new MemoryJournal()
const told = new Map<JobId, JobCommand[]>()
const sent = new Map<JobId, string>()

const newJob = (): JobId => makeJobId(systemClock.now(), systemClock.randomBytes(16))
const newJobs = (count: number): JobId[] => Array.from({ length: count }, newJob)
const lockOf = (jobId: JobId) => lock(jobId, { wallet: WALLET })

const settleOf = (jobId: JobId, workerId = 1) => settlementOf(local.contracts, jobId, { workerId })

async function startLane(lane: Lane): Promise<LaneActor> {
  const { reader } = chain
  const actor = makeLane({
    ...{ lane, bus, journal, writer, reader, clock: systemClock, log },
    ...{ itemsMax: 200, confirmLockAt: 'included' },
    metrics: makeLaneMetrics(noMetrics),
  })
  await actor.start()
  return actor
}

const say = (intents: readonly LaneIntent[]) => {
  for (const intent of intents) {
    bus.publish(SUBJECTS.lane(intent.type === 'lock' ? 'lock' : 'settle'), intent)
  }
}
const heard = (jobId: JobId, type: JobCommand['type']) =>
  (told.get(jobId) ?? []).filter((command) => command.type === type)
const allHeard = (jobs: readonly JobId[], type: JobCommand['type']) =>
  until(`${type} of ${jobs.length} jobs`, () =>
    jobs.every((jobId) => heard(jobId, type).length > 0),
  )
const available = async () => (await chain.reader.account(WALLET)).available

const Settlement = suite('settlement on a real chain')

Settlement.before(async () => {
  local = await startChain(CREDITS)
  const { rpcUrl, contracts } = local
  chain = await connectChain({ rpcUrl, contracts, log })
  writer = makeEscrowWriter({ rpcUrl, contracts, signers: SIGNERS, log, terms: GAS_TERMS })
  bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    const command = message as JobCommand
    const before = told.get(command.jobId)
    if (before) before.push(command)
    else told.set(command.jobId, [command])
    respond({ type: 'accepted' })
  })
  bus.subscribe('edge.*', (message) => {
    for (const one of message as EdgeMessage[]) {
      if (one.type === 'settlement_sent') sent.set(one.jobId, one.tx)
    }
  })
})

Settlement('registers a worker, once', async () => {
  const settler = await startLane('settle')
  const wish = registrationOf(local.contracts, WALLET)
  const ask = (of = wish) => bus.request<RegisterReply>(SUBJECTS.workerRegister, of, 30_000)
  assert.equal(await ask(), { type: 'registered', workerId: 1 })
  assert.equal(await ask(), { type: 'registered', workerId: 1 })
  assert.is(await chain.reader.workerId(wish.signer), 1)
  assert.is(await chain.reader.workerId(WALLET), undefined)
  assert.is((await ask({ ...wish, signer: WALLET })).type, 'refused')
  await settler.stop()
})

Settlement('locks, settles and refunds in batches; the watcher tells what is final', async () => {
  const ledger = new RecordingLedger()
  const watcher = await startWatcher(ledger)
  const [locker, settler] = await Promise.all([startLane('lock'), startLane('settle')])
  const before = await available()
  const jobs = newJobs(120)
  const [paid, returned] = [jobs.slice(0, 80), jobs.slice(80)]

  say(jobs.map(lockOf))
  await allHeard(jobs, 'ConfirmLock')
  assert.is(await available(), before - 120n * 8n)
  say([...paid.map((jobId) => settleOf(jobId)), ...returned.map(refund)])
  await allHeard(paid, 'ConfirmSettlement')
  await allHeard(returned, 'ConfirmRefund')
  assert.is(await available(), before - 80n * 8n)

  const [first] = heard(paid[0]!, 'ConfirmSettlement')
  assert.ok(first?.type === 'ConfirmSettlement' && first.charged === 8n)
  // The watcher may read a block before the lane has the node's answer to its broadcast.
  await until('the hash at broadcast', () => sent.has(paid[0]!))
  assert.is(first.tx, sent.get(paid[0]!), 'the hash at broadcast is the hash that was mined')
  // A lane tells of its own receipt, perhaps before the watcher has read that block.
  const kinds = ['deposited', 'locked', 'settled', 'refunded'] as const
  const expected = [1, 120, 80, 40]
  const counts = () =>
    kinds.map((kind) => ledger.applied.filter((entry) => entry.kind === kind).length)
  await until('all of it in the ledger', () => counts().every((count, i) => count >= expected[i]!))
  assert.equal(counts(), expected)
  await Promise.all([locker.stop(), settler.stop(), watcher.stop()])
})

Settlement('an intent said many times, to two lanes in a row, is done once', async () => {
  const before = await available()
  const jobs = newJobs(30)
  const first = await startLane('lock')
  for (let i = 0; i < 5; i++) say(jobs.map(lockOf))
  await allHeard(jobs, 'ConfirmLock')
  await first.stop()
  told.clear()
  const second = await startLane('lock')
  for (let i = 0; i < 5; i++) say(jobs.map(lockOf))
  await allHeard(jobs, 'ConfirmLock')
  assert.is(await available(), before - 30n * 8n)
  await second.stop()
})

Settlement('lanes that end at any moment leave nothing half done', async () => {
  const before = await available()
  const jobs = newJobs(150)
  for (let i = 0; i < 10; i++) {
    const lane = await startLane('lock')
    say(jobs.slice(i * 15, i * 15 + 15).map(lockOf))
    await new Promise((resolve) => setTimeout(resolve, i * 2))
    await lane.stop()
  }
  const last = await startLane('lock')
  say(jobs.map(lockOf))
  await allHeard(jobs, 'ConfirmLock')
  assert.is(await available(), before - 150n * 8n)
  for (const jobId of jobs) assert.equal(heard(jobId, 'RefuseLock'), [])
  await last.stop()
})

Settlement('what the chain passes over is told with its reason', async () => {
  const [locker, settler] = await Promise.all([startLane('lock'), startLane('settle')])
  const [poor, unlocked, forged] = [newJob(), newJob(), newJob()]
  say([lock(poor), lockOf(forged)])
  await allHeard([poor], 'RefuseLock')
  await allHeard([forged], 'ConfirmLock')
  // While a lock is on its way a job without one is told nothing, and asks again.
  say([settleOf(unlocked)])
  await allHeard([unlocked], 'RefuseSettlement')
  say([{ ...settleOf(forged), signature: settleOf(newJob()).signature }])
  await allHeard([forged], 'RefuseSettlement')
  const reasons = [
    heard(poor, 'RefuseLock')[0],
    heard(unlocked, 'RefuseSettlement')[0],
    heard(forged, 'RefuseSettlement')[0],
  ].map((command) => command && 'reason' in command && command.reason)
  assert.equal(reasons, ['InsufficientCredits', 'NotLocked', 'BadSignature'])
  await Promise.all([locker.stop(), settler.stop()])
})

Settlement('disputes open in batches, once; verdicts reach the jobs and the ledger', async () => {
  const ledger = new RecordingLedger()
  const watcher = await startWatcher(ledger)
  const [locker, settler] = await Promise.all([startLane('lock'), startLane('settle')])
  const before = await available()
  const jobs = newJobs(40)
  say(jobs.map(lockOf))
  await allHeard(jobs, 'ConfirmLock')
  say(jobs.map((jobId) => settleOf(jobId)))
  await allHeard(jobs, 'ConfirmSettlement')

  const { rpcUrl, contracts } = local
  const own = jobs[0]!
  const wallet = makeEscrowCaller({ rpcUrl, contracts, privateKey: KEYS.wallet })
  await wallet.openDispute(own, outputHash('by itself'))
  for (let i = 0; i < 3; i++) say(jobs.map(dispute))
  await until('each dispute in a block', () => jobs.every((jobId) => openingOf(jobId)))
  await settler.stop()
  for (const jobId of jobs) {
    const facts = await chain.reader.jobFacts(jobId)
    assert.equal(
      facts.map(({ type }) => type).filter((type) => type !== 'skipped'),
      ['locked', 'settled', 'disputed'],
    )
    assert.is(openingOf(jobId)?.claimedHash, jobId === own ? outputHash('by itself') : CLAIMED)
    assert.equal(heard(jobId, 'RefuseDispute'), [])
  }
  const [right, wrong] = [jobs[1]!, jobs[2]!]
  const arbiter = makeEscrowCaller({ rpcUrl, contracts, privateKey: KEYS.arbiter })
  await arbiter.resolveDispute(right, true)
  await arbiter.resolveDispute(wrong, false)
  await allHeard([right, wrong], 'ResolveDispute')
  const verdicts = [right, wrong].map((jobId) => heard(jobId, 'ResolveDispute')[0])
  assert.equal(
    verdicts.map((command) => command?.type === 'ResolveDispute' && command.upheld),
    [true, false],
  )
  assert.is(await available(), before - 39n * 8n)
  assert.equal(
    ledger.applied.flatMap(({ kind, jobId, credits }) =>
      kind === 'dispute_resolved' ? [[jobId, credits]] : [],
    ),
    [[right, 8n]],
  )
  await Promise.all([locker.stop(), watcher.stop()])
})

/** What a job was told of its dispute once it was in a block. */
function openingOf(jobId: JobId) {
  for (const command of heard(jobId, 'ConfirmDispute')) {
    if (command.type === 'ConfirmDispute' && command.block !== null) return command
  }
  return undefined
}

Settlement(
  'a chain that goes back: lost transactions go out again, the watcher follows',
  async () => {
    const ledger = new RecordingLedger()
    const watcher = await startWatcher(ledger)
    const [locker, settler] = await Promise.all([startLane('lock'), startLane('settle')])
    const before = await available()
    const [kept, lost, after] = [newJobs(5), newJobs(5), newJobs(5)]
    say(kept.map(lockOf))
    await allHeard(kept, 'ConfirmLock')
    const snapshot = await local.rpc.call<string>('evm_snapshot', [])
    say(lost.map(lockOf))
    await allHeard(lost, 'ConfirmLock')
    say(lost.map((jobId) => settleOf(jobId)))
    await allHeard(lost, 'ConfirmSettlement')
    say(lost.map(dispute))
    await until('disputes in a block', () => lost.every((jobId) => openingOf(jobId)))

    // From here on the lanes may send again what was lost, before anybody can look.
    assert.is(await local.rpc.call<boolean>('evm_revert', [snapshot]), true)
    say(after.map(lockOf))
    await allHeard(after, 'ConfirmLock')
    assert.is(await available(), before - 15n * 8n, 'kept, lost and new are locked')
    say(after.map((jobId) => settleOf(jobId)))
    await allHeard(after, 'ConfirmSettlement')
    const settled = await Promise.all(
      [...lost, ...after].map(async (jobId) => {
        const facts = await chain.reader.jobFacts(jobId)
        return facts.filter(({ type }) => type === 'settled').length
      }),
    )
    assert.equal(settled, Array(10).fill(1))
    for (const jobId of lost) {
      const facts = await chain.reader.jobFacts(jobId)
      // One that was sent twice is skipped the second time.
      const last = facts.filter(({ type }) => type !== 'skipped').at(-1)
      assert.is(last?.type, 'disputed', 'disputes come back after their settlements')
    }
    assert.ok(ledger.forgotten > 0)
    await Promise.all([locker.stop(), settler.stop(), watcher.stop()])
  },
)

async function startWatcher(ledger: RecordingLedger): Promise<ChainWatcher> {
  const { deployBlock } = local.contracts
  const registry = new CursorRegistry()
  const common = { ledger, bus, registry, clock: systemClock, log, deployBlock }
  const tells = new ToldFacts().ports
  const watcher = makeChainWatcher({
    metrics: makeWatcherMetrics(noMetrics),
    ...common,
    ...tells,
    reader: chain.reader,
    confirmations: 1,
  })
  await watcher.start()
  return watcher
}

Settlement.after(async () => {
  await Promise.all([chain.close(), writer.close()])
  await local.stop()
})

Settlement.run()

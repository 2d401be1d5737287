import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ChainWatcher, makeChainWatcher } from '../../actors/chain-watcher/watcher.ts'
import { type LaneActor, makeLane } from '../../actors/settlement/lane.ts'
import { type ChainConnection, connectChain } from '../../src/chain/connect.ts'
import { type ClosableWriter, makeEscrowWriter } from '../../src/chain/writer.ts'
import { outputHash } from '../../src/domain/hash.ts'
import { type JobId, makeJobId } from '../../src/domain/ids.ts'
import {
  completionDigest,
  domainSeparator,
  registrationDigest,
  sign,
} from '../../src/domain/proof.ts'
import { unixSeconds } from '../../src/domain/time.ts'
import type { EdgeMessage } from '../../src/messages/edge.ts'
import type { JobCommand } from '../../src/messages/job.ts'
import type { LaneIntent, RegisterReply, SettleIntent } from '../../src/messages/lane.ts'
import { type Lane, SUBJECTS } from '../../src/messages/subjects.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { addressOf, KEYS, keyBytes, type LocalChain, startChain } from '../fakes/chain/anvil.ts'
import { CursorRegistry } from '../fakes/chain/cursor-registry.ts'
import { lock, refund } from '../fakes/chain/intents.ts'
import { JobBus } from '../fakes/chain/job-bus.ts'
import { MemoryJournal } from '../fakes/chain/memory-journal.ts'
import { RecordingLedger } from '../fakes/chain/recording-ledger.ts'
import { within } from './servers.ts'

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

function settleOf(jobId: JobId, workerId = 1): SettleIntent {
  const { chainId, jobEscrow } = local.contracts
  const completion = {
    jobId,
    outputHash: outputHash('an answer'),
    outputTokens: 20,
    completedAt: unixSeconds(systemClock.now()),
  }
  const separator = domainSeparator({ name: 'JobEscrow', chainId, contract: jobEscrow })
  const signature = sign(completionDigest(separator, completion), keyBytes(KEYS.worker))
  return { type: 'settle', jobId, completion, workerId, signature, notify: 'edge.one' }
}

async function startLane(lane: Lane): Promise<LaneActor> {
  const { reader } = chain
  const common = { lane, bus, journal, writer, reader, clock: systemClock, log, itemsMax: 200 }
  const actor = makeLane(common)
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
  within(20_000, `${type} of ${jobs.length} jobs`, () =>
    jobs.every((jobId) => heard(jobId, type).length > 0),
  )
const available = async () => (await chain.reader.account(WALLET)).available

const Settlement = suite('settlement on a real chain')

Settlement.before(async () => {
  local = await startChain(CREDITS)
  const { rpcUrl, contracts } = local
  chain = await connectChain({ rpcUrl, contracts, log })
  writer = makeEscrowWriter({ rpcUrl, contracts, keys: KEYS, log })
  bus.subscribe('cmd.*.*', (message, _subject, respond) => {
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
  const { chainId, workerStaking } = local.contracts
  const signer = addressOf(KEYS.worker)
  const separator = domainSeparator({ name: 'WorkerStaking', chainId, contract: workerStaking })
  const signature = sign(registrationDigest(separator, signer, WALLET), keyBytes(KEYS.worker))
  const wish = { signer, payee: WALLET, signature }
  const ask = (of = wish) => bus.request<RegisterReply>(SUBJECTS.workerRegister, of, 10_000)
  assert.equal(await ask(), { type: 'registered', workerId: 1 })
  assert.equal(await ask(), { type: 'registered', workerId: 1 })
  assert.is(await chain.reader.workerId(signer), 1)
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
  assert.is(first.tx, sent.get(paid[0]!), 'the hash at broadcast is the hash that was mined')
  const mined = () =>
    returned.every((jobId) =>
      heard(jobId, 'ConfirmRefund').some((one) => one.type === 'ConfirmRefund' && one.block),
    )
  await within(10_000, 'refunds with a block', mined)
  const kinds = ['deposited', 'locked', 'settled', 'refunded'] as const
  const count = (kind: string) => ledger.applied.filter((entry) => entry.kind === kind).length
  assert.equal(kinds.map(count), [1, 120, 80, 40])
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
  say([lock(poor), settleOf(unlocked), lockOf(forged)])
  await allHeard([poor], 'RefuseLock')
  await allHeard([unlocked], 'RefuseSettlement')
  await allHeard([forged], 'ConfirmLock')
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

    assert.is(await local.rpc.call<boolean>('evm_revert', [snapshot]), true)
    assert.is(await available(), before - 5n * 8n)
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
    assert.ok(ledger.forgotten > 0)
    await Promise.all([locker.stop(), settler.stop(), watcher.stop()])
  },
)

async function startWatcher(ledger: RecordingLedger): Promise<ChainWatcher> {
  const { deployBlock } = local.contracts
  const registry = new CursorRegistry()
  const common = { ledger, bus, registry, clock: systemClock, log, deployBlock }
  const watcher = makeChainWatcher({ ...common, reader: chain.reader, confirmations: 1 })
  await watcher.start()
  return watcher
}

Settlement.after(async () => {
  await Promise.all([chain.close(), writer.close()])
  await local.stop()
})

Settlement.run()

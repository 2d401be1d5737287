import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ChainConnection, connectChain } from '../../../src/chain/connect.ts'
import { type ClosableWriter, makeEscrowWriter } from '../../../src/chain/writer.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { type JobId, makeJobId } from '../../../src/domain/ids.ts'
import type { DisputeIntent } from '../../../src/messages/lane.ts'
import type { Lane } from '../../../src/messages/subjects.ts'
import type { Batch, ChainFact, Hex, Receipt } from '../../../src/ports/escrow.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { addressOf, KEYS, type LocalChain, SIGNERS, startChain } from '../../fakes/chain/anvil.ts'
import { makeEscrowCaller } from '../../fakes/chain/escrow-caller.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { included } from '../../fakes/chain/included.ts'
import { lock } from '../../fakes/chain/intents.ts'
import { registrationOf, settlementOf } from '../../fakes/chain/signed-work.ts'

const WALLET = addressOf(KEYS.wallet)
/** What a short answer of the tier `standard` costs. */
const CHARGE = 8n
const CLAIMED = outputHash('what the caller received')
const DAY_SECONDS = 24 * 60 * 60
const WINDOW_SECONDS = 600
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

let local: LocalChain
let chain: ChainConnection
let writer: ClosableWriter

const newJobs = (count: number): JobId[] =>
  Array.from({ length: count }, () => makeJobId(systemClock.now(), systemClock.randomBytes(16)))

async function send(lane: Lane, batch: Batch): Promise<Receipt> {
  const signed = await writer.sign(lane, await writer.nonce(lane), batch)
  const receipt = await included(writer, lane, signed)
  assert.ok(receipt.succeeded, `the ${batch.type} batch went through`)
  return receipt
}

const lockAll = (jobs: readonly JobId[]) =>
  send('lock', { type: 'lock', items: jobs.map((jobId) => lock(jobId, { wallet: WALLET })) })

async function settledJobs(count: number): Promise<JobId[]> {
  const jobs = newJobs(count)
  await lockAll(jobs)
  const fit = writer.itemsMax('settle')
  for (let i = 0; i < count; i += fit) {
    await send('settle', { type: 'settle', items: jobs.slice(i, i + fit).map(settleOf) })
  }
  return jobs
}

const settleOf = (jobId: JobId) => settlementOf(local.contracts, jobId)

const disputeOf = (jobId: JobId): DisputeIntent => ({
  type: 'dispute',
  jobId,
  claimedHash: CLAIMED,
})
const dispute = (jobs: readonly JobId[]) =>
  send('settle', { type: 'dispute', items: jobs.map(disputeOf) })

const as = (privateKey: Hex) =>
  makeEscrowCaller({ rpcUrl: local.rpcUrl, contracts: local.contracts, privateKey })
const available = async () => (await chain.reader.account(WALLET)).available
const typesOf = (facts: readonly ChainFact[]) => facts.map(({ type }) => type)
const refusedWith = (name: string, call: Promise<void>) =>
  call.then(
    () => assert.unreachable(`${name} was expected`),
    (error: unknown) => assert.match(String(error), name),
  )

async function elapse(seconds: number): Promise<void> {
  await local.rpc.call('evm_increaseTime', [seconds])
  await local.rpc.call('evm_mine', [])
}

async function resolutionOf(jobId: JobId) {
  const last = (await chain.reader.jobFacts(jobId)).at(-1)
  if (last?.type !== 'dispute_resolved') throw new Error(`${jobId} ends with ${last?.type}`)
  const [inBlock] = await chain.reader.facts(last.block, last.block)
  assert.equal(inBlock, last, 'the block tells the same')
  return { wallet: last.wallet, upheld: last.upheld, returned: last.returned }
}

const Disputes = suite('disputes on a real chain')

Disputes.before(async () => {
  local = await startChain(10_000n)
  const { rpcUrl, contracts } = local
  chain = await connectChain({ rpcUrl, contracts, log })
  writer = makeEscrowWriter({ rpcUrl, contracts, signers: SIGNERS, log, terms: GAS_TERMS })
  await send('settle', { type: 'register', items: [registrationOf(contracts, WALLET)] })
})

Disputes('a batch opens what is settled and skips the rest with its reason', async () => {
  const [first, second] = (await settledJobs(2)) as [JobId, JobId]
  const [locked, unknown] = newJobs(2) as [JobId, JobId]
  await lockAll([locked])
  const before = await available()

  const { facts, hash, block } = await dispute([first, locked, second, unknown, first])
  assert.equal(
    facts.map((fact) => (fact.type === 'skipped' ? fact.reason : fact.type)),
    ['disputed', 'NotSettled', 'disputed', 'NotSettled', 'NotSettled'],
  )
  const { blockHash, logIndex } = facts[0]!
  assert.equal(facts[0], {
    ...{ tx: hash, block, blockHash, logIndex },
    type: 'disputed',
    jobId: first,
    wallet: WALLET,
    claimedHash: CLAIMED,
  })
  assert.equal(await chain.reader.facts(block, block), facts, 'the block tells the same')
  const history = await chain.reader.jobFacts(first)
  assert.equal(typesOf(history), ['locked', 'settled', 'disputed', 'skipped'])
  assert.is(await available(), before, 'nothing of the wallet moved')
})

Disputes('upheld returns the whole charge, rejected returns nothing', async () => {
  const [right, wrong] = (await settledJobs(2)) as [JobId, JobId]
  await dispute([right, wrong])
  const before = await available()
  const arbiter = as(KEYS.arbiter)

  await arbiter.resolveDispute(right, true)
  assert.is(await available(), before + CHARGE)
  await arbiter.resolveDispute(wrong, false)
  assert.is(await available(), before + CHARGE)
  assert.equal(await resolutionOf(right), { wallet: WALLET, upheld: true, returned: CHARGE })
  assert.equal(await resolutionOf(wrong), { wallet: WALLET, upheld: false, returned: 0n })

  await refusedWith('JobNotDisputed', arbiter.resolveDispute(wrong, true))
  const { facts } = await dispute([right, wrong])
  assert.equal(typesOf(facts), ['skipped', 'skipped'], 'no second dispute')
})

Disputes('only the arbiter resolves', async () => {
  const [jobId] = (await settledJobs(1)) as [JobId]
  await dispute([jobId])
  for (const key of [KEYS.settle, KEYS.wallet, KEYS.deployer]) {
    await refusedWith('AccessControlUnauthorizedAccount', as(key).resolveDispute(jobId, true))
  }
})

Disputes('a wallet opens its own dispute without the service', async () => {
  const [jobId] = (await settledJobs(1)) as [JobId]
  await refusedWith('NotWalletOfJob', as(KEYS.worker).openDispute(jobId, CLAIMED))
  await as(KEYS.wallet).openDispute(jobId, CLAIMED)
  const { facts } = await dispute([jobId])
  assert.equal(typesOf(facts), ['skipped'], 'the service comes second')
  const history = await chain.reader.jobFacts(jobId)
  assert.equal(typesOf(history), ['locked', 'settled', 'disputed', 'skipped'])
})

Disputes('a whole batch fits its gas', async () => {
  const jobs = await settledJobs(200)
  const { facts } = await dispute(jobs)
  assert.ok(facts.length === 200 && facts.every(({ type }) => type === 'disputed'))
})

// The last two move the chain's clock.

Disputes('after the window nothing is opened', async () => {
  const [jobId] = (await settledJobs(1)) as [JobId]
  await elapse(WINDOW_SECONDS + 1)
  const { facts } = await dispute([jobId])
  assert.equal(
    facts.map((fact) => fact.type === 'skipped' && fact.reason),
    ['DisputeWindowOver'],
  )
  await refusedWith('DisputeWindowOver', as(KEYS.wallet).openDispute(jobId, CLAIMED))
})

Disputes('a dispute that nobody decides ends after a day, for the worker', async () => {
  const [jobId] = (await settledJobs(1)) as [JobId]
  await dispute([jobId])
  const before = await available()
  const anyone = as(KEYS.worker)
  await refusedWith('ArbitrationNotOver', anyone.expireDispute(jobId))
  await elapse(DAY_SECONDS)
  await anyone.expireDispute(jobId)
  assert.equal(await resolutionOf(jobId), { wallet: WALLET, upheld: false, returned: 0n })
  assert.is(await available(), before)
})

Disputes.after(async () => {
  await writer?.close()
  await chain?.close()
  await local?.stop()
})

Disputes.run()

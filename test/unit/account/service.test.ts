import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLoader } from '../../../actors/account/loader.ts'
import { makeAccountService } from '../../../actors/account/service.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type {
  LoadAccountReply,
  WithdrawCredits,
  WithdrawCreditsReply,
} from '../../../src/messages/account.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { NoResponders } from '../../../src/ports/bus.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { FakeChain } from '../../fakes/chain/fake-chain.ts'
import { job, WALLET } from '../../fakes/chain/intents.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { RecordingLedger } from '../../fakes/chain/recording-ledger.ts'
import { ScriptedSetAsides, ScriptedVouchers } from '../../fakes/chain/scripted-vouchers.ts'

async function open() {
  const reader = new FakeChain()
  const ledger = new RecordingLedger()
  const bus = new JobBus()
  const clock = new ManualClock()
  const lines: string[] = []
  const log = makeLog('test', 'warn', { write: (line) => lines.push(line) })
  const load = makeLoader({ reader, ledger, clock })
  const setAsides = new ScriptedSetAsides()
  const vouchers = new ScriptedVouchers()
  const service = makeAccountService({ load, ledger, setAsides, vouchers, bus, clock, log })
  await service.start()
  const ask = () => bus.request<LoadAccountReply>(SUBJECTS.accountLoad, { wallet: WALLET }, 1_000)
  const withdraw = (request: WithdrawCredits) =>
    bus.request<WithdrawCreditsReply>(SUBJECTS.accountWithdraw, request, 1_000)
  return { reader, ledger, bus, clock, service, load: ask, setAsides, vouchers, withdraw, lines }
}

const Account = suite('account service')

Account('loads a wallet from the chain, once for all who ask at once', async () => {
  const { reader, ledger, service, load } = await open()
  const account = reader.account.bind(reader)
  reader.account = async () => {
    await rest()
    return account()
  }
  assert.equal(await Promise.all([load(), load(), load()]), Array(3).fill({ type: 'loaded' }))
  assert.is(ledger.loads.length, 1)
  await load()
  assert.is(ledger.loads.length, 2)
  await service.stop()
})

Account('while the chain is away, that is logged once, however many ask', async () => {
  const { reader, service, load, lines } = await open()
  reader.account = () => Promise.reject(new Error('the node does not answer'))
  for (let i = 0; i < 20; i++) assert.is((await load()).type, 'unavailable')
  assert.is(lines.length, 1)
  await service.stop()
})

Account('a node that lags behind the ledger for a second has its time', async () => {
  const { ledger, clock, service, load } = await open()
  ledger.loadAnswers = Array(20).fill('stale')
  const loaded = load()
  await clock.advance(1_000)
  ledger.loadAnswers = ['loaded']
  await clock.advance(1_000)
  assert.equal(await loaded, { type: 'loaded' })
  await service.stop()
})

Account('reads again when the ledger has seen a later block', async () => {
  const { ledger, clock, service, load } = await open()
  ledger.loadAnswers = ['stale', 'stale', 'loaded']
  const loaded = load()
  await clock.advance(1_000)
  assert.equal(await loaded, { type: 'loaded' })
  assert.is(ledger.loads.length, 3)
  ledger.loadAnswers = Array(20).fill('stale')
  const refused = load()
  await clock.advance(2_000)
  assert.is((await refused).type, 'unavailable')
  await service.stop()
})

Account('says so when the chain is down', async () => {
  const { reader, service, load } = await open()
  reader.down = true
  assert.equal(await load(), { type: 'unavailable', reason: 'the chain is down' })
  await service.stop()
})

Account('wakes the jobs of old reservations, which alone know whether they will lock', async () => {
  const { ledger, bus, clock, service } = await open()
  const asked: string[] = []
  bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    const { type, jobId } = message as JobCommand
    asked.push(`${type} ${jobId}`)
    respond({ type: 'unknown_job' })
  })
  const at = clock.now()
  ledger.open = [1, 2].map((n) => ({ jobId: job(n), wallet: WALLET, at }))
  await clock.advance(10_000)
  assert.equal(asked, [], 'too young')
  await clock.advance(10_000)
  assert.equal(asked.slice(0, 2), [`AbandonJob ${job(1)}`, `AbandonJob ${job(2)}`])
  await service.stop()
})

Account('a job that nobody answers for is asked again at the next sweep', async () => {
  const { ledger, bus, clock, service } = await open()
  ledger.open = [{ jobId: job(1), wallet: WALLET, at: clock.now() }]
  await clock.advance(20_000)
  let asked = 0
  bus.subscribe('cmd.*.*.*', (_message, _subject, respond) => {
    asked++
    respond({ type: 'unknown_job' })
  })
  await clock.advance(5_000)
  assert.is(asked, 1)
  await service.stop()
})

Account('a job that has ended leaves the open ones, one that runs stays', async () => {
  const { ledger, bus, clock, service } = await open()
  const views: Pick<JobView, 'status' | 'block'>[] = [
    { status: 'processing', block: null },
    { status: 'settling', block: null },
    { status: 'failed', block: null },
    { status: 'disputed', block: null },
    { status: 'disputed', block: 7 },
    { status: 'failed', block: 7 },
    { status: 'refunded', block: 7 },
    { status: 'settled', block: 7 },
  ]
  bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    const { jobId } = message as JobCommand
    const view = views.find((_, n) => job(n) === jobId)
    respond({ type: 'accepted', view, ending: null })
  })
  ledger.open = views.map((_, n) => ({ jobId: job(n), wallet: WALLET, at: clock.now() }))
  await clock.advance(20_000)
  assert.equal(ledger.released, [4, 5, 6, 7].map(job))
  assert.equal(
    ledger.open.map(({ jobId }) => jobId),
    [0, 1, 2, 3].map(job),
  )
  await service.stop()
})

Account('any number of reservations that stay hide none behind them', async () => {
  const { ledger, bus, clock, service } = await open()
  const [first, last] = [job(0), job(2_500)]
  const over = new Set([last])
  bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    const block = over.has((message as JobCommand).jobId) ? 7 : null
    respond({ type: 'accepted', view: { status: 'failed', block }, ending: null })
  })
  const all = Array.from({ length: 2_501 }, (_, n) => job(n))
  ledger.open = all.map((jobId) => ({ jobId, wallet: WALLET, at: clock.now() }))
  await clock.advance(40_000)
  assert.equal(ledger.released, [last])
  over.add(first)
  await clock.advance(40_000)
  assert.equal(ledger.released, [last, first], 'the oldest are asked again after them')
  await service.stop()
})

Account('grants a withdrawal, says when it cannot, and sweeps what nobody used', async () => {
  const { vouchers, setAsides, clock, service, withdraw } = await open()
  const request = { wallet: WALLET, to: WALLET, credits: toCredits(5), requestId: 'one' }
  assert.is((await withdraw(request)).type, 'granted')
  vouchers.seen = { ...vouchers.seen, time: 1_800_000_121 }
  await clock.advance(125_000)
  assert.ok(setAsides.ended.includes('one'))
  vouchers.read = async () => {
    throw new Error('the chain is down')
  }
  const reply = await withdraw({ ...request, requestId: 'two' })
  assert.equal(reply, { type: 'unavailable', reason: 'the chain is down' })
  await service.stop()
})

Account('a host that leaves answers what it was asked before', async () => {
  const { reader, service, load, withdraw } = await open()
  const account = reader.account.bind(reader)
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  reader.account = async () => {
    await held
    return account()
  }
  const asked = load()
  await rest()
  let gone = false
  const stopped = service.stop().then(() => {
    gone = true
  })
  await rest()
  assert.not(gone, 'the store would be closed under the answer')
  answer()
  assert.equal(await asked, { type: 'loaded' })
  await stopped
  const request = { wallet: WALLET, to: WALLET, credits: toCredits(5), requestId: 'late' }
  for (const late of [load(), withdraw(request)]) {
    const answer = await late.catch((error: unknown) => error)
    assert.ok(answer instanceof NoResponders, 'it takes no more')
  }
})

Account('and does not wait for one that nobody waits for any more', async () => {
  const { reader, service, clock, load } = await open()
  reader.account = () => new Promise(() => {})
  void load().catch(() => {})
  await rest()
  const stopped = service.stop()
  await clock.advance(10_000)
  await stopped
})

Account.run()

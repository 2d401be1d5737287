import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeAccountService } from '../../../actors/account/service.ts'
import type { LoadAccountReply } from '../../../src/messages/account.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { FakeChain, hashOf } from '../../fakes/chain/fake-chain.ts'
import { job, WALLET } from '../../fakes/chain/intents.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { RecordingLedger } from '../../fakes/chain/recording-ledger.ts'

async function open() {
  const reader = new FakeChain()
  const ledger = new RecordingLedger()
  const bus = new JobBus()
  const clock = new ManualClock()
  const log = makeLog('test', 'silent')
  const service = makeAccountService({ reader, ledger, bus, clock, log })
  await service.start()
  const load = () => bus.request<LoadAccountReply>(SUBJECTS.accountLoad, { wallet: WALLET }, 1_000)
  return { reader, ledger, bus, clock, service, load }
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

Account('reads again when the ledger has seen a later block', async () => {
  const { ledger, service, load } = await open()
  ledger.loadAnswers = ['stale', 'stale', 'loaded']
  assert.equal(await load(), { type: 'loaded' })
  assert.is(ledger.loads.length, 3)
  ledger.loadAnswers = Array(5).fill('stale')
  assert.is((await load()).type, 'unavailable')
  await service.stop()
})

Account('says so when the chain is down', async () => {
  const { reader, service, load } = await open()
  reader.down = true
  assert.equal(await load(), { type: 'unavailable', reason: 'the chain is down' })
  await service.stop()
})

Account('gives back reservations of jobs that will never lock, and no others', async () => {
  const { ledger, bus, clock, service } = await open()
  const views = new Map<string, unknown>([
    [job(1), { status: 'failed', escrowTx: null }],
    [job(2), { status: 'failed', escrowTx: hashOf('lock') }],
    [job(3), { status: 'pending', escrowTx: null }],
    [job(4), { status: 'refunded', escrowTx: null }],
  ])
  const asked: string[] = []
  bus.subscribe('cmd.*.*', (message, _subject, respond) => {
    const { type, jobId } = message as JobCommand
    asked.push(type)
    const view = views.get(jobId)
    respond(view ? { type: 'accepted', view, ending: null } : { type: 'unknown_job' })
  })
  const at = clock.now()
  ledger.open = [1, 2, 3, 4, 5].map((n) => ({ jobId: job(n), wallet: WALLET, at }))
  await clock.advance(10_000)
  assert.equal(asked, [], 'too young')
  await clock.advance(10_000)
  assert.equal(asked.slice(0, 5), Array(5).fill('AbandonJob'))
  assert.equal(ledger.released, [job(1), job(4)])
  await service.stop()
})

Account('a job that nobody answers for is asked again at the next sweep', async () => {
  const { ledger, bus, clock, service } = await open()
  ledger.open = [{ jobId: job(1), wallet: WALLET, at: clock.now() }]
  await clock.advance(20_000)
  assert.equal(ledger.released, [])
  bus.subscribe('cmd.*.*', (_message, _subject, respond) =>
    respond({ type: 'accepted', view: { status: 'failed', escrowTx: null }, ending: null }),
  )
  await clock.advance(5_000)
  assert.equal(ledger.released, [job(1)])
  await service.stop()
})

Account.run()

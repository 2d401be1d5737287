import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeBalances } from '../../../src/api/balances.ts'
import { RefusalError } from '../../../src/api/http/errors.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { type Bus, NoResponders, RequestTimeout } from '../../../src/ports/bus.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { WalletLedger } from '../../fakes/edge/wallet-ledger.ts'

/** A wallet that the ledger has forgotten, and actor hosts of which one has died without a word. */
const Balances = suite('balances: a wallet to be loaded')

const wallet = toAddress(`0x${'7'.repeat(40)}`)

/** @param answers of each request in turn; an error: nobody gave one */
function house(...answers: (Error | 'loaded')[]) {
  const ledger = new WalletLedger()
  let asked = 0
  const request: Bus['request'] = async <Reply>() => {
    const answer = answers[asked++]
    if (answer instanceof Error) throw answer
    await ledger.load(wallet, {
      ...{ available: toCredits(55), locked: toCredits(0), lastTopupAt: null, block: 1 },
    })
    return { type: answer } as Reply
  }
  const bus = Object.assign(new JobBus(), { request })
  const lines: string[] = []
  const log = makeLog('test', 'info', { write: (line) => lines.push(line) })
  const balances = makeBalances({ ledger, bus, clock: new ManualClock(), log })
  return { balances, lines, asked: () => asked }
}

const silent = () => new RequestTimeout('account.load', 2_500)
const isUnavailable = (error: unknown) =>
  error instanceof RefusalError && error.refusal.code === 'service_unavailable'

Balances('a request that a dead host was given is made once more', async () => {
  const { balances, asked } = house(silent(), 'loaded')
  assert.is((await balances.read(wallet)).remaining, 55n)
  assert.is(asked(), 2)
})

Balances('nobody answers twice, or nobody is there: it cannot be told now', async () => {
  for (const [error, times] of [
    [silent(), 2],
    [new NoResponders('account.load'), 1],
  ] as const) {
    const { balances, asked } = house(error, error)
    const failed = await balances.read(wallet).catch((thrown: unknown) => thrown)
    assert.ok(isUnavailable(failed))
    assert.is(asked(), times)
  }
})

Balances('what is missing in a header is not logged: every answer has one', async () => {
  const gone = new NoResponders('account.load')
  const { balances, lines } = house(gone, gone)
  assert.is(await balances.glance(wallet), undefined)
  assert.is(lines.length, 0)
  await balances.read(wallet).catch(() => {})
  assert.is(lines.length, 1)
})

Balances('of many requests that it cannot be told to one is logged', async () => {
  const { balances, lines } = house(
    ...Array.from({ length: 9 }, () => new NoResponders('account.load')),
  )
  for (let i = 0; i < 9; i++) await balances.read(wallet).catch(() => {})
  assert.is(lines.length, 1)
})

Balances.run()

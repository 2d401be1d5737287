import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeBalances } from '../../../src/api/balances.ts'
import { RefusalError } from '../../../src/api/http/errors.ts'
import { makePools } from '../../../src/api/models/pools.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { makeAdmission, type Repeat } from '../../../src/edge/chat/admission.ts'
import { takeOn } from '../../../src/edge/chat/take-on.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import type { Reservation, ReserveReply } from '../../../src/ports/ledger.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { CuttableBus } from '../../fakes/edge/cuttable-bus.ts'
import { MODEL, poolSummary, WALLET } from '../../fakes/edge/stage.ts'
import { WalletLedger } from '../../fakes/edge/wallet-ledger.ts'
import { MemoryCatalogue } from '../../fakes/memory-catalogue.ts'

const Admitted = suite('edge: what is set aside for a request')

const WINDOW = 32_768
const CALLER = {
  wallet: WALLET,
  keyCreatedAt: toUnixMs(0),
  key: { hash: outputHash('key'), proof: 'proof' },
}
const orderOf = (maxTokens?: number) => ({
  prompt: { model: MODEL, messages: [{ role: 'user' as const, content: 'Hello' }], sampling: {} },
  maxTokens,
  stream: false,
  includeUsage: false,
})

/** A ledger that tells what it was asked, and may answer otherwise. */
class AskedLedger extends WalletLedger {
  readonly asked: Reservation[] = []
  instead: ReserveReply | undefined

  override async reserve(reservation: Reservation): Promise<ReserveReply> {
    this.asked.push(reservation)
    return this.instead ?? super.reserve(reservation)
  }
}

async function stage(credits: number) {
  const [ledger, bus, clock] = [new AskedLedger(), new CuttableBus(), new ManualClock()]
  const log = makeLog('test', 'silent')
  const catalogue = new MemoryCatalogue()
  const pools = makePools({ bus, clock, catalogue })
  bus.publish(SUBJECTS.poolSummary, poolSummary({ [MODEL]: { contextWindow: WINDOW } }, 'pool'))
  await rest()
  const [available, locked] = [toCredits(credits), toCredits(0)]
  await ledger.load(WALLET, { available, locked, lastTopupAt: null, block: 1 })
  const admission = makeAdmission({
    ...{ catalogue, pools, ledger, clock, log, jobWindowMs: 120_000 },
    balances: makeBalances({ ledger, bus, clock, log }),
    chainHealth: { requireLanes: () => {}, stop: () => {} },
  })
  const admit = async (maxTokens?: number, repeat?: Repeat) => {
    const job = await admission.admit(CALLER, orderOf(maxTokens), repeat)
    if (job === 'taken') throw new Error('the key is another’s')
    return job
  }
  return { ledger, bus, admission, admit }
}

const refusalOf = async (question: Promise<unknown>) => {
  const error = await question.catch((thrown: unknown) => thrown)
  assert.instance(error, RefusalError)
  return (error as RefusalError).refusal
}

Admitted('an open end takes what the prompt leaves of the window, however rich', async () => {
  const { ledger, admit } = await stage(100_000)
  const { lock, outputTokensMax } = await admit()
  assert.equal([outputTokensMax, lock], [WINDOW - 1, 138n])
  assert.is(ledger.reservations.size, 1)
  assert.is(ledger.asked[0]?.credits, lock, 'what is locked is what was set aside')
})

Admitted('of a cap above the window: its price, and no more text than the window', async () => {
  const { admit } = await stage(100_000)
  const { lock, outputTokensMax } = await admit(WINDOW + 1_000)
  assert.equal([outputTokensMax, lock], [WINDOW, 142n])
})

Admitted('the key of a request is kept for longer than its job has', async () => {
  const { ledger, admit } = await stage(100)
  const key = { key: 'k:1', bodyDigest: 'body', replaces: 'any' as const }
  const { at, deadlineAt } = await admit(10, { join: key, returning: toCredits(0) })
  assert.is(deadlineAt - at, 120_000)
  assert.equal(ledger.asked[0]?.join, { ...key, ttlMs: 150_000 })
})

Admitted('a wallet that the ledger has forgotten is read from the chain first', async () => {
  const { ledger, bus, admit } = await stage(100)
  await ledger.forget()
  let loaded = 0
  bus.subscribe(SUBJECTS.accountLoad, async (_message, _subject, respond) => {
    const account = { available: toCredits(50), locked: toCredits(0), lastTopupAt: null, block: 1 }
    await ledger.load(WALLET, account)
    loaded++
    respond({ type: 'loaded' })
  })
  const { lock, remaining } = await admit(10)
  assert.equal([loaded, lock, remaining], [1, 8n, 42n])
})

Admitted('others of the wallet keep taking what there was: 503, and nothing is held', async () => {
  const { ledger, admit } = await stage(100)
  const [remaining, returning] = [toCredits(50), toCredits(0)]
  ledger.instead = { type: 'insufficient', remaining, returning }
  assert.is((await refusalOf(admit())).code, 'service_unavailable')
  assert.equal([ledger.asked.length, ledger.reservations.size], [5, 0])
})

Admitted('the key is another’s each time: 503, and nothing is held', async () => {
  const { ledger, admission } = await stage(100)
  const jobId = (await admission.admit(CALLER, orderOf(10))) as { jobId: Reservation['jobId'] }
  await ledger.release(WALLET, jobId.jobId)
  ledger.instead = { type: 'taken', jobId: jobId.jobId, bodyDigest: 'body' }
  const key = {
    ...{ key: 'k:1', bodyDigest: 'body', joins: true, param: 'Idempotency-Key' as const },
    ...{ graceMs: 10_000, returnsMidAnswer: true },
  }
  const joining = { join: async () => ({ type: 'none' as const }) }
  const refused = await refusalOf(takeOn({ admission, joining }, CALLER, orderOf(10), key))
  assert.is(refused.code, 'service_unavailable')
  assert.is(ledger.reservations.size, 0)
  assert.is(ledger.asked.at(-1)?.join?.replaces, undefined, 'no job makes way for it')
})

Admitted.run()

import { status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import type { RegisterWorker } from '../../../src/messages/lane.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { Enrolment } from '../../../src/pool/session/enrolment.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { CuttableBus } from '../../fakes/edge/cuttable-bus.ts'
import { W1, W2 } from '../../fakes/pool/registry-house.ts'
import { WorkerChain } from '../../fakes/pool/worker-chain.ts'

/** Each registration is a transaction that the service pays for. */
const Enrolled = suite('pool: the numbers of workers')

const wishOf = (signer: Address) => ({ signer, payee: signer }) as RegisterWorker

/** A chain that says no in advance, counts questions, and may be away. */
class AskedChain extends WorkerChain {
  questions = 0
  /** What it says of a registration before it is sent. */
  foreseen: string | undefined
  isAway = false

  override async workerId(signer: Address) {
    this.questions++
    if (this.isAway) throw new Error('no answer')
    return super.workerId(signer)
  }
  override async registrationError() {
    return this.foreseen
  }
}

function pool() {
  const [chain, bus, clock] = [new AskedChain(), new CuttableBus(), new ManualClock()]
  bus.subscribe(SUBJECTS.workerRegister, (wish, _subject, respond) => {
    respond(chain.register(wish as RegisterWorker))
  })
  const lines: string[] = []
  const log = makeLog('test', 'warn', { write: (line) => lines.push(line) })
  const enrolment = new Enrolment({ chain, bus, clock, log })
  const dial = (worker: Address) => enrolment.workerId(wishOf(worker))
  return { chain, bus, clock, enrolment, dial, lines }
}

Enrolled('one is registered once, and asked for again when its number may be gone', async () => {
  const { chain, enrolment, dial } = pool()
  for (let dialled = 0; dialled < 2; dialled++) {
    assert.equal(await dial(W1), { ok: true, value: 1 })
  }
  assert.equal([chain.asked, chain.questions], [1, 1])
  enrolment.forget(W1)
  assert.equal(await dial(W1), { ok: true, value: 1 })
  assert.equal([chain.asked, chain.questions], [1, 2])
})

Enrolled('what the contract would refuse is not sent, nor asked again for a while', async () => {
  const { chain, clock, dial } = pool()
  chain.foreseen = 'BadSignature'
  for (let dialled = 0; dialled < 2; dialled++) {
    const refused = await dial(W1)
    assert.ok(!refused.ok)
    assert.is(refused.error.code, status.FAILED_PRECONDITION)
    assert.match(refused.error.details, /cannot be registered: BadSignature/)
  }
  assert.equal([chain.asked, chain.questions], [0, 1])
  chain.foreseen = undefined
  assert.ok((await dial(W2)).ok, 'it is the refusal of one worker')
  await clock.advance(30_000)
  assert.ok((await dial(W1)).ok)
})

Enrolled('nor what it has refused, though it said otherwise when it was asked', async () => {
  const { chain, clock, dial } = pool()
  chain.deactivate(W1)
  for (let dialled = 0; dialled < 2; dialled++) {
    const refused = await dial(W1)
    assert.is(refused.ok ? undefined : refused.error.code, status.FAILED_PRECONDITION)
  }
  assert.is(chain.asked, 1, 'each of them is one of those that the network registers in an hour')
  await clock.advance(30_000)
  await dial(W1)
  assert.is(chain.asked, 2)
})

Enrolled('one that another pool has registered meanwhile has its number', async () => {
  const { chain, bus, dial } = pool()
  chain.foreseen = 'AlreadyRegistered'
  assert.ok((await dial(W1)).ok)
  assert.is(bus.published.length, 0)
  assert.is(chain.asked, 1)
})

Enrolled('past what the network registers nobody new is asked for, for ten seconds', async () => {
  const { chain, clock, dial } = pool()
  chain.registrationsMax = 0
  const full = await dial(W1)
  assert.ok(!full.ok)
  assert.is(full.error.code, status.UNAVAILABLE)
  assert.not((await dial(W2)).ok)
  assert.is(chain.asked, 1)
  chain.registrationsMax = 9
  await clock.advance(10_000)
  assert.ok((await dial(W2)).ok)
})

Enrolled(
  'a chain that does not answer is asked three times, and the worker dials again',
  async () => {
    const { chain, clock, dial } = pool()
    chain.isAway = true
    const dialled = dial(W1)
    await clock.advance(2_000)
    const lost = await dialled
    assert.ok(!lost.ok)
    assert.is(lost.error.code, status.UNAVAILABLE)
    assert.is(chain.questions, 3)
    chain.isAway = false
    assert.ok((await dial(W1)).ok, 'nothing is held against it')
  },
)

Enrolled('strangers who dial while the chain is away fill no log', async () => {
  const { chain, clock, dial, lines } = pool()
  chain.isAway = true
  const strangers = Array.from({ length: 50 }, (_, i) =>
    toAddress(`0x${String(i).padStart(40, '0')}`),
  )
  const dialled = Promise.all(strangers.map(dial))
  await clock.advance(2_000)
  assert.ok((await dialled).every(({ ok }) => !ok))
  assert.is(chain.questions, 150)
  assert.is(lines.length, 1)
})

Enrolled.run()

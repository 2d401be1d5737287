import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { emptyQueue } from '../../../actors/settlement/queue.ts'
import { RegistrationBudget } from '../../../actors/settlement/registration-budget.ts'
import { makeRegistrations } from '../../../actors/settlement/registrations.ts'
import type { RegisterReply, RegisterWorker } from '../../../src/messages/lane.ts'
import type { Receipt } from '../../../src/ports/escrow.ts'
import { job, settle, WALLET } from '../../fakes/chain/intents.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

/** Workers that ask for their number, and what the contract said. */
const Registering = suite('registrations')

const WISH: RegisterWorker = {
  ...{ signer: WALLET, payee: WALLET, signature: settle(job(1)).signature },
}
/** A transaction that registered nobody. */
const NO_EVENT = { facts: [] } as Partial<Receipt> as Receipt

function open(perHour = 0) {
  const clock = new ManualClock()
  const house = { clock, queue: emptyQueue(), known: undefined as number | undefined }
  const registrations = makeRegistrations({
    queue: house.queue,
    reader: { workerId: async () => house.known } as never,
    untilChain: (question) => question(),
    budget: new RegistrationBudget(perHour, clock),
  })
  const replies: RegisterReply[] = []
  const ask = () => registrations.ask(WISH, (reply) => replies.push(reply))
  return Object.assign(house, { registrations, replies, ask })
}

Registering('one that the contract refuses: all who asked hear it, and may ask anew', async () => {
  const { registrations, replies, ask } = open()
  assert.equal([await ask(), await ask()], [true, false])
  await registrations.answer(WISH, NO_EVENT)
  assert.equal(
    replies.map(({ type }) => type),
    ['refused', 'refused'],
  )
  assert.ok(await ask(), 'a transaction of its own')
})

Registering('one that had a number already has that one', async () => {
  const house = open()
  await house.ask()
  house.known = 7
  await house.registrations.answer(WISH, NO_EVENT)
  assert.equal(house.replies, [{ type: 'registered', workerId: 7 }])
  assert.is(house.queue.waiting.register.size, 0, 'and needs no transaction any more')
})

/** What the network pays for. */
const Budget = suite('registrations at the expense of the network')

Budget('a pause of a day is no more than one hour’s', async () => {
  const clock = new ManualClock()
  const budget = new RegistrationBudget(2, clock)
  const take = (count: number) => Array.from({ length: count }, () => budget.take())
  assert.equal(take(3), [0, 0, 1_800_000])
  await clock.advance(86_400_000)
  assert.equal(take(3), [0, 0, 1_800_000])
  await clock.advance(900_000)
  assert.equal(take(1), [900_000], 'who asks too soon does not have to begin anew')
  await clock.advance(900_000)
  assert.equal(take(2), [0, 1_800_000])
})

Budget('none is counted where any number may come', () => {
  const budget = new RegistrationBudget(0, new ManualClock())
  assert.ok(Array.from({ length: 1_000 }, () => budget.take()).every((wait) => wait === 0))
})

Registering.run()
Budget.run()

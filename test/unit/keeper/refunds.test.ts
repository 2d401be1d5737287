import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeHands } from '../../../actors/keeper/hands.ts'
import { makeRefunds } from '../../../actors/keeper/refunds.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import { NoResponders, RequestTimeout } from '../../../src/ports/bus.ts'
import { pause } from '../../../src/ports/clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { job } from '../../fakes/chain/intents.ts'
import { KeeperChain } from '../../fakes/chain/keeper-chain.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { numbersOf } from './stories.ts'

/** Expired locks are given back, each after its job was asked what it hopes for. */
const Refunds = suite('keeper: refunds')

const UNKNOWN = { type: 'unknown_job' } as JobReply
const SETTLING = { type: 'accepted', proof: {}, view: { status: 'settling' } } as JobReply

/** @param answer what the n-th job says, or an error */
function keep(answer: (n: number) => JobReply | Error | 'never') {
  const [chain, clock] = [new KeeperChain(), new ManualClock()]
  const asked: number[] = []
  const bus = {
    request: async (_subject: string, { jobId }: { readonly jobId: ReturnType<typeof job> }) => {
      const [n] = numbersOf([jobId])
      asked.push(n!)
      const said = answer(n!)
      if (said === 'never') await pause(clock, 2_000)
      if (said === 'never') throw new RequestTimeout('cmd', 2_000)
      if (said instanceof Error) throw said
      return said
    },
  } as never
  const fees = { feeCeilingWei: 200n, claimFeeCeilingWei: 20n }
  const hands = makeHands({ writer: chain, clock, log: makeLog('test', 'silent'), ...fees })
  const refundOne = makeRefunds({ bus, hands })
  const turn = (count: number, isOverdue = false) =>
    refundOne(Array.from({ length: count }, (_, i) => ({ jobId: job(i + 1), isOverdue })))
  const refunded = () =>
    numbersOf(chain.calls.flatMap((call) => (call.type === 'refund' ? call.jobId : [])))
  return { chain, clock, turn, asked, refunded }
}

Refunds(
  'many jobs that hope to be settled do not keep a forgotten lock from its owner',
  async () => {
    const house = keep((n) => (n <= 20 ? SETTLING : UNKNOWN))
    const acted: boolean[] = []
    for (let turn = 0; turn < 3; turn++) acted.push(await house.turn(21))
    assert.equal(house.refunded(), [21])
    assert.equal(acted, [false, false, true])
    assert.is(house.asked.length, 21, 'each is asked once for now')
    await house.clock.advance(10_000)
    await house.turn(21)
    assert.ok(house.asked.length > 21, 'and again later')
  },
)

Refunds('jobs of a host that hangs are waited for together', async () => {
  const house = keep((n) => (n <= 8 ? 'never' : UNKNOWN))
  let ended = false
  const turn = house.turn(9).then(() => {
    ended = true
  })
  await house.clock.advance(2_000)
  assert.is(ended, true)
  await turn
  await house.turn(9)
  assert.equal(house.refunded(), [9])
})

for (const error of [new NoResponders('cmd'), new RequestTimeout('cmd', 2_000)]) {
  Refunds(
    `a job that does not answer (${error.name}) keeps its lock, and holds up no other`,
    async () => {
      const house = keep((n) => (n === 1 ? error : UNKNOWN))
      await house.turn(2)
      assert.equal(house.refunded(), [2])
      await house.turn(1, true)
      assert.equal(house.refunded(), [2], 'it rests')
      await house.clock.advance(10_000)
      await house.turn(1, true)
      assert.equal(house.refunded(), [2, 1], 'until its lock is long overdue')
    },
  )
}

Refunds(
  'one that somebody else has ended holds up no other, though no block tells of it yet',
  async () => {
    const house = keep(() => UNKNOWN)
    house.chain.outcome = (call) =>
      call.type === 'refund' && call.jobId === job(1)
        ? { type: 'needless', reason: 'JobNotLocked' }
        : { type: 'done', tx: '0x' as never }
    for (let turn = 0; turn < 3; turn++) await house.turn(2)
    assert.equal(house.refunded(), [1, 2])
  },
)

Refunds.run()

import { status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import { Departures } from '../../../src/pool/session/departures.ts'
import type { Session } from '../../../src/pool/session/session.ts'
import type { Ending } from '../../../src/pool/session/worker-call.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Leaves = suite('pool: workers that were deactivated on chain')

const LOOK_MS = 3_000
const worker = (digit: number): Address => toAddress(`0x${String(digit).repeat(40)}`)
const [ANN, BEN, CAT] = [worker(1), worker(2), worker(3)]

/** A chain, and the workers of a pool that looks at it. */
function stage(head: number) {
  const clock = new ManualClock()
  const chain = { head, away: false, left: new Map<Address, number>(), widest: 0 }
  const ended = new Map<Address, Ending>()
  const forgotten: Address[] = []
  const answered = () => {
    if (chain.away) throw new Error('the node is away')
  }
  const departures = new Departures({
    chain: {
      head: async () => {
        answered()
        return { number: chain.head } as never
      },
      deactivated: async (from, to) => {
        answered()
        chain.widest = Math.max(chain.widest, to - from + 1)
        return [...chain.left].filter(([, at]) => at >= from && at <= to).map(([who]) => who)
      },
      workerId: async () => 7,
    },
    forget: (who) => forgotten.push(who),
    clock,
    log: makeLog('test', 'silent'),
  })
  const join = (address: Address) => {
    const end = (ending: Ending) => ended.set(address, ending)
    const session = { address, profile: { workerId: 7 }, end } as unknown as Session
    departures.joined(session)
    return session
  }
  const look = () => clock.advance(LOOK_MS)
  return { chain, departures, ended, forgotten, join, look, gone: () => [...ended.keys()] }
}

Leaves('are sent away for good, and no others', async () => {
  const { chain, departures, ended, forgotten, join, look, gone } = stage(100)
  for (const who of [ANN, BEN]) join(who)
  departures.start()
  await look()
  assert.equal(gone(), [])
  chain.left.set(BEN, 101)
  chain.head = 101
  await look()
  assert.equal(gone(), [BEN])
  assert.is(ended.get(BEN)?.code, status.FAILED_PRECONDITION)
  assert.ok(forgotten.includes(BEN), 'who dials again is asked for anew')
  departures.stop()
})

Leaves('one that is just being let in when it is found is sent away by the next look', async () => {
  const { chain, departures, join, look, gone } = stage(100)
  departures.start()
  await look()
  chain.left.set(ANN, 101)
  chain.head = 101
  await look()
  join(ANN)
  await look()
  assert.equal(gone(), [ANN])
  departures.stop()
})

Leaves('are found in a block that a reorg brought, behind what was read', async () => {
  const { chain, departures, join, look, gone } = stage(100)
  for (const who of [ANN, BEN]) join(who)
  departures.start()
  chain.head = 120
  await look()
  chain.left.set(ANN, 109)
  await look()
  assert.equal(gone(), [ANN])
  departures.stop()
})

Leaves(
  'none is passed over while the chain does not answer, nor among very many blocks',
  async () => {
    const { chain, departures, join, look, gone } = stage(100)
    for (const who of [ANN, BEN, CAT]) join(who)
    departures.start()
    await look()
    chain.away = true
    await look()
    for (const [who, block] of [
      [ANN, 105],
      [BEN, 3_000],
      [CAT, 5_100],
    ] as const) {
      chain.left.set(who, block)
    }
    chain.head = 5_100
    chain.away = false
    await look()
    assert.equal(gone().sort(), [ANN, BEN, CAT])
    assert.ok(chain.widest <= 500, `${chain.widest} blocks were asked for at once`)
    departures.stop()
  },
)

Leaves('one that came anew is meant, and one that has gone is not', async () => {
  const { chain, departures, join, look, gone } = stage(100)
  const [before] = [join(ANN), join(ANN)]
  departures.left(before)
  departures.left(join(BEN))
  departures.start()
  chain.head = 101
  for (const who of [ANN, BEN]) chain.left.set(who, 101)
  await look()
  assert.equal(gone(), [ANN])
  departures.stop()
  chain.left.set(CAT, 102)
  chain.head = 102
  join(CAT)
  await look()
  assert.equal(gone(), [ANN], 'stopped, it looks no more')
})

Leaves.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import type { Session } from '../../../src/pool/session/session.ts'
import { SureNumbers } from '../../../src/pool/session/sure-numbers.ts'
import type { Ending } from '../../../src/pool/session/worker-call.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

const Numbers = suite('pool: numbers of workers, when the chain goes back')
const log = makeLog('test', 'silent')
const UNSURE_BLOCKS = 12
const WORKER = toAddress(`0x${'a1'.repeat(20)}`)

/** A worker that joined as number 1, and a chain that may say otherwise later. */
function begin() {
  const asked: Address[] = []
  const forgotten: Address[] = []
  const endings: Ending[] = []
  const known = new Map<Address, number>([[WORKER, 1]])
  const chain = {
    workerId: async (worker: Address) => {
      asked.push(worker)
      return known.get(worker)
    },
  }
  const forget = (worker: Address) => forgotten.push(worker)
  const numbers = new SureNumbers({ chain, forget, log }, UNSURE_BLOCKS)
  const session = {
    address: WORKER,
    profile: { workerId: 1 },
    end: (ending: Ending) => endings.push(ending),
  } as unknown as Session
  numbers.joined(session)
  return { numbers, session, known, asked, forgotten, endings }
}

Numbers('are looked at once, when no reorg reaches them any more', async () => {
  const { numbers, asked, endings } = begin()
  for (const head of [100, 105, 111]) await numbers.check(head)
  assert.equal(asked, [])
  for (const head of [112, 113, 200]) await numbers.check(head)
  assert.equal(asked, [WORKER])
  assert.equal(endings, [])
})

for (const [what, now] of [
  ['gone', undefined],
  ['of another worker', 2],
] as const) {
  Numbers(`${what}: the worker is to dial again, and its number to be asked for`, async () => {
    const { numbers, known, forgotten, endings } = begin()
    await numbers.check(100)
    if (now === undefined) known.delete(WORKER)
    else known.set(WORKER, now)
    await numbers.check(112)
    assert.equal(forgotten, [WORKER])
    assert.is(endings.length, 1)
    assert.match(endings[0]?.details ?? '', 'is not number 1 any more')
  })
}

Numbers(
  'a chain that does not answer is asked again, a worker that left is not looked at',
  async () => {
    const { numbers, session, known, asked, endings } = begin()
    await numbers.check(100)
    const get = known.get.bind(known)
    known.get = () => {
      throw new Error('the node is down')
    }
    await numbers.check(112).then(
      () => assert.unreachable(),
      () => {},
    )
    known.get = get
    numbers.left(session)
    await numbers.check(113)
    assert.equal(asked, [WORKER])
    numbers.joined(session)
    await numbers.check(114)
    await numbers.check(126)
    assert.equal(asked, [WORKER, WORKER])
    assert.equal(endings, [])
  },
)

Numbers.run()

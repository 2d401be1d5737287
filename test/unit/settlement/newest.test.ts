import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeNewest } from '../../../actors/settlement/newest.ts'
import type { Hex32 } from '../../../src/domain/ids.ts'
import { type Block, NonceGap, type Receipt } from '../../../src/ports/escrow.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

/** A lane that rests asks whether the blocks that its transactions got into still stand. */
const Newest = suite('newest blocks of a lane')

function open() {
  const clock = new ManualClock()
  const chain = new Map<number, Hex32>()
  const asked: number[] = []
  const newest = makeNewest({
    reader: {
      block: async (number) => {
        asked.push(number)
        const hash = chain.get(number)
        return hash === undefined ? undefined : ({ number, hash } as Block)
      },
    },
    untilChain: (question) => question(),
    clock,
  })
  const include = (number: number, hash = hashOf(`${number}`)) => {
    chain.set(number, hash)
    newest.is({ block: number, facts: [{ blockHash: hash }] } as unknown as Receipt)
  }
  const check = async () => {
    asked.length = 0
    const gap = await newest.check().catch((error: unknown) => error)
    if (gap !== undefined) assert.instance(gap, NonceGap)
    return gap !== undefined
  }
  return { clock, chain, asked, include, check }
}

Newest('as long as they stand, only the newest is asked for again', async () => {
  const { asked, include, check } = open()
  for (const block of [5, 6, 6, 7]) include(block)
  assert.not.ok(await check())
  assert.equal(asked, [5, 6, 7])
  assert.not.ok(await check())
  assert.equal(asked, [7])
})

Newest('another block in the place of one, even of an older one: told once', async () => {
  const { chain, include, check } = open()
  for (const gone of [[5], [5, 6]]) {
    for (const block of [5, 6]) include(block)
    for (const block of gone) chain.set(block, hashOf('another'))
    assert.ok(await check())
    assert.not.ok(await check())
  }
})

Newest('a node that lacks it lags, or will come to it: it is asked again', async () => {
  const { chain, include, check } = open()
  include(5)
  chain.delete(5)
  assert.not.ok(await check())
  chain.set(5, hashOf('another'))
  assert.ok(await check())
})

Newest('after a quarter of an hour it stays, and is asked for no more', async () => {
  const { clock, asked, include, check } = open()
  include(5)
  await clock.advance(900_000)
  await check()
  await check()
  assert.equal(asked, [5])
  await clock.advance(1)
  await check()
  await check()
  assert.equal(asked, [])
})

Newest.run()

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkpointOf, watchOf } from '../../../actors/keeper/checkpoint.ts'
import {
  EMPTY,
  evolve,
  type Openings,
  REWIND_BLOCKS,
  rewind,
  type Watch,
} from '../../../actors/keeper/state.ts'
import type { Trail } from '../../../src/domain/block-trail.ts'
import { toHex32 } from '../../../src/domain/ids.ts'
import type { KeeperEvent } from '../../../src/ports/keeper.ts'
import { WALLET } from '../../fakes/chain/intents.ts'
import { numbersOf, told } from './stories.ts'

const State = suite('keeper: what may have to be ended')

const open = (openings: Openings): number[] =>
  numbersOf([...openings].flatMap(([jobId, { closedIn }]) => (closedIn === null ? jobId : [])))
const after = (upTo: number, ...events: KeeperEvent[]): Watch => evolve(EMPTY, events, upTo)

State('a lock is open until it is settled or refunded', () => {
  const watch = after(3, told(1, 'locked', 1), told(1, 'locked', 2), told(1, 'locked', 3))
  assert.equal(open(watch.locks), [1, 2, 3])
  const later = evolve(watch, [told(4, 'settled', 1), told(5, 'refunded', 3)], 5)
  assert.equal(open(later.locks), [2])
})

State('a dispute is open until it is resolved', () => {
  const watch = after(4, told(1, 'locked', 1), told(2, 'settled', 1), told(3, 'disputed', 1))
  assert.equal([open(watch.locks), open(watch.disputes)], [[], [1]])
  assert.equal(open(evolve(watch, [told(9, 'dispute_resolved', 1)], 9).disputes), [])
})

State('who settles has earned, and the treasury with him, since the first time', () => {
  const watch = after(9, told(2, 'settled', 1), told(7, 'settled', 2))
  assert.equal([...watch.earners.keys()], [1, 'treasury'])
  assert.equal(watch.earners.get(1), { since: told(2, 'settled', 1).at, block: 7 })
})

State('what was contested is earned again at the verdict, by who was paid up before', () => {
  const { at } = told(9, 'dispute_resolved', 1)
  const watch = after(9, told(9, 'dispute_resolved', 1))
  assert.equal(
    [...watch.earners],
    [
      [1, { since: at, block: 9 }],
      ['treasury', { since: at, block: 9 }],
    ],
  )
})

State('what ended is forgotten once no reorg can undo it', () => {
  const watch = after(3, told(1, 'locked', 1), told(2, 'locked', 2), told(3, 'settled', 1))
  assert.is(evolve(watch, [], 3 + REWIND_BLOCKS).locks.size, 2)
  assert.is(evolve(watch, [], 4 + REWIND_BLOCKS).locks.size, 1)
})

State('rewound, it doubts what is gone, until that has ended anew or cannot matter', () => {
  const events = [told(1, 'locked', 1), told(2, 'locked', 2), told(3, 'settled', 1)]
  const back = rewind(after(3, ...events), 1)
  assert.equal(numbersOf(back.doubted.keys()), [1, 2])
  const anew = evolve(back, [told(2, 'settled', 1), told(3, 'locked', 2)], 3)
  assert.equal(numbersOf(anew.doubted.keys()), [2])
  assert.is(evolve(anew, [], 1 + REWIND_BLOCKS).doubted.size, 1)
  assert.is(evolve(anew, [], 2 + REWIND_BLOCKS).doubted.size, 0)
})

State('rewound, it is as it was', () => {
  const events = [told(1, 'locked', 1), told(2, 'locked', 2), told(3, 'settled', 1)]
  const watch = after(3, ...events)
  assert.equal(open(rewind(watch, 2).locks), [1, 2])
  assert.equal(open(rewind(watch, 1).locks), [1])
})

/** Lives of a few jobs, each in the chain's order: locked, then settled or refunded, then disputed. */
const lives = fc.array(
  fc.record({
    ends: fc.constantFrom('settled', 'refunded', 'open'),
    isDisputed: fc.boolean(),
    isResolved: fc.boolean(),
    blocks: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 4, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 12 },
)
type Life = (typeof lives extends fc.Arbitrary<infer T> ? T : never)[number]

function eventsOf({ ends, isDisputed, isResolved, blocks }: Life, n: number): KeeperEvent[] {
  const [locked, ended, disputed, resolved] = blocks.sort((a, b) => a - b) as number[]
  const life = [told(locked!, 'locked', n)]
  if (ends !== 'open') life.push(told(ended!, ends, n))
  if (ends === 'settled' && isDisputed) {
    life.push(told(disputed!, 'disputed', n))
    if (isResolved) life.push(told(resolved!, 'dispute_resolved', n))
  }
  return life
}
const chainOf = (all: readonly Life[]) => all.flatMap(eventsOf).sort((a, b) => a.block - b.block)

const trail: Trail = Array.from({ length: 40 }, (_, i) => ({
  block: i + 1,
  hash: toHex32(`0x${(i + 1).toString(16).padStart(64, '0')}`),
}))

State('rewound to any block and told the rest again, it comes to the same', () => {
  fc.assert(
    fc.property(lives, fc.integer({ min: 0, max: 40 }), (all, block) => {
      const events = chainOf(all)
      const whole = evolve(EMPTY, events, 40)
      const rest = events.filter((event) => event.block > block)
      const again = evolve(rewind(whole, block), rest, 40)
      assert.equal(open(again.locks).sort(), open(whole.locks).sort())
      assert.equal(open(again.disputes).sort(), open(whole.disputes).sort())
    }),
  )
})

State('from a checkpoint of any size and the blocks after it, it comes to the same', () => {
  fc.assert(
    fc.property(lives, fc.integer({ min: 0, max: 12 }), (all, size) => {
      const events = chainOf(all)
      const whole = evolve(EMPTY, events, 40)
      const checkpoint = checkpointOf(whole, trail, WALLET, size)
      const end = checkpoint?.trail.at(-1)?.block ?? 0
      assert.ok((checkpoint?.locks.length ?? 0) <= size)
      const rest = events.filter(({ block }) => block > end)
      const again = evolve(checkpoint ? watchOf(checkpoint) : EMPTY, rest, 40)
      assert.equal(open(again.locks).sort(), open(whole.locks).sort())
      assert.equal(open(again.disputes).sort(), open(whole.disputes).sort())
      assert.equal(again.earners, whole.earners)
    }),
  )
})

State.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  lastCommon,
  nextRangeBlocks,
  rangeEnd,
  type Trail,
  upTo,
} from '../../../src/domain/block-trail.ts'
import type { Hex32 } from '../../../src/domain/ids.ts'

const BlockTrail = suite('block trail')

const hashOf = (block: number, branch = 'a') => `0x${branch.repeat(63)}${block}` as Hex32
const trail: Trail = [1, 3, 5, 7].map((block) => ({ block, hash: hashOf(block) }))
/** A chain that has gone another way after `fork`. */
const forkedAfter = (fork: number) => ({
  block: async (number: number) => ({ hash: hashOf(number, number > fork ? 'b' : 'a') }),
})

BlockTrail('the last common block is the newest one that the chain still holds', async () => {
  assert.equal(await lastCommon(trail, forkedAfter(7)), trail[3])
  assert.equal(await lastCommon(trail, forkedAfter(4)), trail[1])
  assert.is(await lastCommon(trail, forkedAfter(0)), undefined)
  assert.is(await lastCommon(trail, { block: async () => undefined }), undefined)
})

BlockTrail('up to a block: that one is in it', () => {
  assert.equal(upTo(trail, 3), trail.slice(0, 2))
  assert.equal(upTo(trail, 4), trail.slice(0, 2))
  assert.equal(upTo(trail, 0), [])
})

BlockTrail(
  'ranges are long far from the head, end where it becomes near, and are short there',
  () => {
    const end = (from: number) => rangeEnd(from, { final: 1_000, near: 64 })
    assert.is(end(1), 500)
    assert.is(end(900), 936)
    assert.is(end(936), 943)
    assert.is(end(999), 1_006)
  },
)

BlockTrail(
  'ranges are longer where there is little in them, and shorter where there is much',
  () => {
    assert.is(nextRangeBlocks(16, 0), 32)
    assert.is(nextRangeBlocks(400, 1_000), 500)
    assert.is(nextRangeBlocks(64, 8_000), 64)
    assert.is(nextRangeBlocks(64, 20_000), 32)
    assert.is(nextRangeBlocks(9, 20_000), 8)
  },
)

BlockTrail.run()

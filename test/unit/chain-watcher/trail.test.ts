import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { follow } from '../../../actors/chain-watcher/trail.ts'
import type { Trail } from '../../../src/domain/block-trail.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'

/** The blocks that were followed last: whoever goes on begins at one of them. */
const Trails = suite('trail of the watcher')

/** Blocks 1 to `count`, of which all up to `done` were taken at the end. */
function walk(count: number, done: number): readonly number[] {
  let trail: Trail = []
  for (let block = 1; block <= count; block++) {
    trail = follow(trail, { block, hash: hashOf(`${block}`) }, Math.min(done, block - 1))
  }
  return trail.map(({ block }) => block)
}

Trails('it keeps as many blocks as a reorg may undo', () => {
  const kept = walk(100, 100)
  assert.equal([kept.length, kept[0], kept.at(-1)], [64, 37, 100])
})

Trails('a job that does not take its fact holds its beginning back', () => {
  const kept = walk(200, 30)
  assert.equal([kept[0], kept.at(-1)], [30, 200], 'or all would be read from the deployment on')
})

Trails.run()

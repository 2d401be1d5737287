import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inBatches } from '../../../src/domain/batches.ts'

const Batches = suite('worker protocol: batches')

/** Messages are given by how much text they hold. */
const batchesOf = (...units: number[]) => inBatches(units, (each) => each)

Batches('nothing said is no batch', () => {
  assert.equal(batchesOf(), [])
})

Batches('little things go together, in their order', () => {
  assert.equal(batchesOf(3, 1, 2), [[3, 1, 2]])
})

Batches('much text goes in several, and a large message alone', () => {
  const [half, whole] = [600_000, 2_000_000]
  assert.equal(batchesOf(half, half, 1, whole, 2, 3), [[half], [half, 1], [whole], [2, 3]])
})

Batches('very many go in several, without any text', () => {
  const counts = batchesOf(...new Array<number>(5_000).fill(0)).map((batch) => batch.length)
  assert.equal(counts, [4_096, 904])
})

Batches.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CheckpointWriter } from '../../../src/runtime/checkpoint-writer.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'

/** From where the next owner reads: never further on than the last that a host has written. */
const Written = suite('checkpoint')
const KEY = 'checkpoint.host-a'
const LOG = makeLog('test', 'silent')

/** Counts the writes; those on the list are carried out only once their sender has given up. */
class LateRegistry extends MemoryRegistry {
  writes = 0
  late: number[] = []
  #waiting: (() => Promise<unknown>)[] = []

  override async put(key: string, value: unknown, revision: number): Promise<number | 'conflict'> {
    if (this.late.includes(++this.writes)) {
      this.#waiting.push(() => super.put(key, value, revision))
      throw new Error('the registry does not answer')
    }
    return super.put(key, value, revision)
  }

  async arrive(): Promise<void> {
    for (const write of this.#waiting.splice(0)) await write()
  }
}

function given(late: number[] = []) {
  const registry = new LateRegistry()
  registry.late = late
  const writer = new CheckpointWriter({ registry, key: KEY, log: LOG })
  const write = (from: number) => writer.write(new Map([['p.0', from]]))
  return { registry, writer, write, value: () => registry.entries.get(KEY)?.value }
}

Written('what has not changed is not written again', async () => {
  const { registry, write, value } = given()
  await write(5)
  await write(5)
  assert.is(registry.writes, 1)
  await write(6)
  assert.equal(value(), { 'p.0': 6 })
  await write(6)
  assert.is(registry.writes, 2)
})

Written('nothing held is nothing to write', async () => {
  const { registry, writer } = given()
  await writer.write(new Map())
  assert.is(registry.writes, 0)
})

Written('what was let go is left for no later owner, were it all', async () => {
  const { writer, write, value } = given()
  await write(5)
  await writer.write(new Map())
  assert.equal(value(), {})
})

Written('what failed is written again', async () => {
  const { write, value } = given([1])
  await write(5)
  assert.is(value(), undefined)
  await write(5)
  assert.equal(value(), { 'p.0': 5 })
})

Written('a write that arrives late does not undo a newer one', async () => {
  const { registry, write, value } = given([2])
  await write(5)
  await write(9)
  await write(3)
  await registry.arrive()
  assert.equal(value(), { 'p.0': 3 })
})

Written('a write whose answer was lost is replaced by the next', async () => {
  const { registry, write, value } = given([2])
  await write(5)
  await write(9)
  await registry.arrive()
  assert.equal(value(), { 'p.0': 9 })
  await write(3)
  await write(3)
  assert.equal(value(), { 'p.0': 3 })
})

Written('only one write is under way at a time', async () => {
  const { registry, write, value } = given()
  await Promise.all([write(5), write(6)])
  assert.is(registry.writes, 1)
  await write(6)
  assert.equal(value(), { 'p.0': 6 })
})

Written.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { watchCatalogue } from '../../../src/bus/buckets/catalogue.ts'
import type { CatalogueRecord } from '../../../src/messages/catalogue.ts'
import type { Registry, RegistryEntry } from '../../../src/ports/registry.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { CuttableBus } from '../../fakes/edge/cuttable-bus.ts'
import { LINEUP } from '../../fakes/memory-catalogue.ts'

/** What stays known, whatever becomes of the bucket. */
const Watched = suite('watched catalogue')

/** A bucket of one key that a test loses, and whose watch it breaks. */
class Bucket implements Pick<Registry, 'get' | 'watch'> {
  entry: RegistryEntry | undefined
  broken = false
  #each: ((entry: RegistryEntry | undefined) => void) | undefined
  #ended: (() => void) | undefined

  async get(): Promise<RegistryEntry | undefined> {
    return this.entry
  }
  async watch(...[, each, options]: Parameters<Registry['watch']>): Promise<() => void> {
    if (this.broken) throw new Error('no stream')
    this.#ended = options?.broken
    this.#each = (entry) => each('key', entry)
    if (this.entry) this.#each(this.entry)
    return () => {}
  }
  tell(models: number, revision: number): void {
    this.put(models, revision)
    this.#each?.(this.entry)
  }
  put(models: number, revision: number): void {
    const value: CatalogueRecord = { models: LINEUP.slice(0, models) }
    this.entry = { value, revision }
  }
  /** As a registry does: the watch is told again. */
  loseWatch(): void {
    this.#ended?.()
    this.#each?.(this.entry)
  }
  forget(): void {
    this.entry = undefined
    this.#each?.(undefined)
  }
}

async function open() {
  const bucket = new Bucket()
  const bus = new CuttableBus()
  const clock = new ManualClock()
  const log = makeLog('test', 'silent')
  const catalogue = watchCatalogue({ registry: bucket, key: 'key', bus, clock, log })
  await turns()
  return { bucket, bus, clock, catalogue }
}
const turns = () => new Promise((resolve) => setImmediate(resolve))

Watched(
  'given nothing, nothing is known; given an empty catalogue, that there is none',
  async () => {
    const { bucket, catalogue } = await open()
    assert.not(catalogue.known)
    bucket.tell(0, 1)
    assert.ok(catalogue.known)
    assert.equal(catalogue.all(), [])
    catalogue.stop()
  },
)

Watched('a record that is deleted takes nothing back', async () => {
  const { bucket, catalogue } = await open()
  bucket.tell(3, 1)
  bucket.forget()
  assert.is(catalogue.all().length, 3)
  catalogue.stop()
})

Watched(
  'of a bucket that was made anew, and counts from the beginning, what is new holds',
  async () => {
    const { bucket, catalogue } = await open()
    bucket.tell(3, 7)
    bucket.put(2, 1)
    bucket.loseWatch()
    assert.is(catalogue.all().length, 2)
    catalogue.stop()
  },
)

Watched('an old reading does not undo what came later', async () => {
  const { bucket, catalogue } = await open()
  bucket.tell(3, 7)
  bucket.tell(2, 6)
  assert.is(catalogue.all().length, 3)
  catalogue.stop()
})

Watched('a bucket that was made anew is believed once it is watched anew', async () => {
  const { bucket, bus, catalogue } = await open()
  bucket.tell(3, 7)
  bus.setConnected(false)
  bucket.put(2, 1)
  assert.is(catalogue.all().length, 3, 'in force while it is away')
  bus.setConnected(true)
  await turns()
  assert.is(catalogue.all().length, 2)
  catalogue.stop()
})

Watched('a watch that cannot begin is tried again', async () => {
  const { bucket, bus, clock, catalogue } = await open()
  bucket.broken = true
  bus.setConnected(true)
  await turns()
  bucket.broken = false
  bucket.put(2, 1)
  await clock.advance(500)
  await turns()
  assert.is(catalogue.all().length, 2)
  catalogue.stop()
})

Watched('a watch that has gone deaf is made up for by reading', async () => {
  const { bucket, clock, catalogue } = await open()
  bucket.put(4, 1)
  await clock.advance(10_000)
  await turns()
  assert.is(catalogue.all().length, 4)
  catalogue.stop()
})

Watched('whoever listens is told of each change, until it has heard enough', async () => {
  const { bucket, catalogue } = await open()
  let heard = 0
  const end = catalogue.onChange(() => heard++)
  bucket.tell(1, 1)
  bucket.tell(2, 2)
  end()
  bucket.tell(3, 3)
  assert.is(heard, 2)
  catalogue.stop()
})

Watched.run()

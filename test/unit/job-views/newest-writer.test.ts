import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NewestWriter, type Versioned } from '../../../actors/job-views/newest-writer.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

/** Whatever is written, and a store that answers when the test says so. */
class Store {
  readonly clock = new ManualClock()
  readonly writes: string[] = []
  answers: ((error?: Error) => void)[] = []
  readonly writer = new NewestWriter<Versioned>({
    name: 'test',
    write: (items) => {
      this.writes.push(items.map(({ id, sequence }) => `${id}${sequence}`).join(' '))
      return new Promise((resolve, reject) => {
        this.answers.push((error) => (error ? reject(error) : resolve()))
      })
    },
    spacingMs: 20,
    most: 3,
    clock: this.clock,
    log: makeLog('test', 'silent'),
  })

  add(...items: string[]): void {
    for (const item of items) {
      this.writer.add({ id: item[0]!, sequence: Number(item.slice(1)) })
    }
  }

  async answer(error?: Error): Promise<void> {
    this.answers.shift()?.(error)
    await rest()
  }
}

const Writer = suite<{ store: Store }>('newest writer')
Writer.before.each((context) => {
  context.store = new Store()
})

Writer('when idle it writes at once, then what came meanwhile together', async ({ store }) => {
  store.add('a1')
  await store.clock.advance(0)
  assert.equal(store.writes, ['a1'])
  store.add('a2', 'b3')
  await store.answer()
  store.add('a4')
  await store.clock.advance(19)
  assert.is(store.writes.length, 1)
  await store.clock.advance(1)
  assert.equal(store.writes, ['a1', 'a4 b3'])
})

Writer('an older item loses, in whatever order', async ({ store }) => {
  store.add('a2', 'a1', 'b5', 'b6')
  await store.clock.advance(0)
  assert.equal(store.writes, ['a2 b6'])
})

Writer('more than one portion does not wait', async ({ store }) => {
  store.add('a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7')
  await store.clock.advance(0)
  await store.answer()
  await store.clock.advance(0)
  assert.equal(store.writes, ['a1 b2 c3', 'd4 e5 f6'])
})

Writer('oldest: what is not written, under way or not', async ({ store }) => {
  assert.is(store.writer.oldest, Number.POSITIVE_INFINITY)
  store.add('a3', 'b5')
  await store.clock.advance(0)
  store.add('a9')
  assert.is(store.writer.oldest, 3)
  await store.answer()
  assert.is(store.writer.oldest, 9)
  await store.clock.advance(20)
  await store.answer()
  assert.is(store.writer.oldest, Number.POSITIVE_INFINITY)
})

Writer('what fails is written later, unless something newer came', async ({ store }) => {
  store.add('a1', 'b2')
  await store.clock.advance(0)
  store.add('a3')
  await store.answer(new Error('down'))
  assert.is(store.writer.oldest, 2)
  await store.clock.advance(500)
  assert.equal(store.writes, ['a1 b2', 'a3 b2'])
  await store.answer()
  assert.is(store.writer.oldest, Number.POSITIVE_INFINITY)
})

Writer(
  'written: writes at once, and resolves with what was there when asked',
  async ({ store }) => {
    store.add('a1')
    await store.clock.advance(0)
    store.add('a2', 'b3')
    let done = false
    void store.writer.written('a')?.then(() => {
      done = true
    })
    await store.answer()
    assert.is(done, false, 'a1 is written, a2 is not')
    await store.clock.advance(0)
    assert.is(store.writes.length, 2)
    store.add('a4')
    await store.answer()
    assert.is(done, true)
    assert.is(store.writer.written('c'), undefined)
  },
)

Writer('written: nobody waits for a store that is away', async ({ store }) => {
  store.add('a1')
  await store.clock.advance(0)
  let done = 0
  void store.writer.written('a')?.then(() => done++)
  await store.clock.advance(200)
  assert.is(done, 1, 'it does not answer')
  void store.writer.written('a')?.then(() => done++)
  await store.answer(new Error('down'))
  assert.is(done, 2, 'it refuses')
  assert.is(store.writer.written('a'), undefined)
})

Writer.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keptBy } from '../../../../src/web/app/session/kept.ts'

const KeptSuite = suite('what a browser keeps')

class MemoryStorage {
  readonly items = new Map<string, string>()
  isFull = false
  getItem(item: string) {
    return this.items.get(item) ?? null
  }
  setItem(item: string, text: string) {
    if (this.isFull) throw new Error('QuotaExceededError')
    this.items.set(item, text)
  }
  removeItem(item: string) {
    this.items.delete(item)
  }
}

KeptSuite('a browser with storage: there it is, for other tabs, too', () => {
  const storage = new MemoryStorage()
  const kept = keptBy(() => storage)
  assert.not(kept.isRefused())
  assert.is(kept.getItem('a'), null)
  kept.setItem('a', '1')
  assert.is(storage.items.get('a'), '1')
  storage.items.set('a', '2')
  assert.is(kept.getItem('a'), '2')
  kept.removeItem('a')
  assert.is(kept.getItem('a'), null)
})

for (const [name, open] of [
  [
    'refuses the question',
    () => {
      throw new Error('SecurityError: The operation is insecure.')
    },
  ],
  ['has no storage', () => null],
] as const) {
  KeptSuite(`a browser that ${name}: for as long as the page is open`, () => {
    const kept = keptBy(open)
    assert.ok(kept.isRefused())
    kept.setItem('a', '1')
    assert.is(kept.getItem('a'), '1')
    kept.removeItem('a')
    assert.is(kept.getItem('a'), null)
  })
}

KeptSuite('what does not fit is newer than what is stored', () => {
  const storage = new MemoryStorage()
  const kept = keptBy(() => storage)
  kept.setItem('a', '1')
  assert.not(kept.isRefused())
  assert.equal([...storage.items.keys()], ['a'])
  storage.isFull = true
  assert.ok(kept.isRefused())
  kept.setItem('a', '2')
  assert.is(kept.getItem('a'), '2')
  kept.removeItem('a')
  assert.is(kept.getItem('a'), null)
})

KeptSuite.run()

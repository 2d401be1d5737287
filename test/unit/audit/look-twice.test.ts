import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nameOf } from '../../../src/audit/books/difference.ts'
import { lookTwice } from '../../../src/audit/books/look-twice.ts'

const Looks = suite('books: looking twice')

Looks('what changes moves, what stays in the same words differs', async () => {
  const looks = [['a: 1', 'b: 1'], ['a: 1', 'b: 2'], ['a: 1']]
  let [time, count] = [0, 0]
  const given = () =>
    (looks[count++] ?? ['a: 1']).map((text) => {
      const [subject = '', says = ''] = text.split(': ')
      return { subject, says }
    })
  const looked = await lookTwice({
    look: async () => ({ differences: given() }),
    patienceMs: 3,
    pauseMs: 1,
    now: () => time,
    pause: async (ms) => {
      time += ms
    },
  })
  assert.equal(looked.standing.map(nameOf), ['a: 1'])
  assert.is(looked.moving, 2)
  assert.is(count, 4)
})

Looks('where one look outlasts all patience, there is another all the same', async () => {
  let [time, count] = [0, 0]
  const looked = await lookTwice({
    look: async () => {
      time += 60
      return { differences: [{ subject: `job_${++count}`, says: 'moves' }] }
    },
    ...{ patienceMs: 45, pauseMs: 1, now: () => time, pause: async () => {} },
  })
  assert.equal([looked.standing, count], [[], 2])
})

Looks.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type JobId, toJobId } from '../../../src/domain/ids.ts'
import { AnswerText } from '../../../src/edge/waiting/answer-text.ts'
import type { Chunk } from '../../../src/messages/edge.ts'

const jobId: JobId = toJobId(`job_${'0'.repeat(26)}`)
const chunk = (seq: number, text: string): Chunk => ({
  type: 'chunk',
  jobId,
  attempt: 1,
  seq,
  text,
})

const Text = suite('answer text')
Text('in order, out of order, and never twice', () => {
  const answer = new AnswerText()
  answer.begin(1)
  assert.is(answer.take(chunk(0, 'a')), 'a')
  assert.is(answer.take(chunk(2, 'c')), undefined)
  assert.is(answer.take(chunk(0, 'a')), undefined)
  assert.is(answer.take(chunk(3, 'd')), undefined)
  assert.is(answer.take(chunk(1, 'b')), 'bcd')
  assert.is(answer.text, 'abcd')
  assert.is(answer.chunks, 4)
})
Text('is completed by the rest of the stored answer', () => {
  const answer = new AnswerText()
  answer.begin(1)
  answer.take(chunk(0, 'ab'))
  answer.take(chunk(2, 'zz'))
  assert.is(answer.complete('abcdef', 3), 'cdef')
  assert.is(answer.chunks, 3)
})
Text('refuses a stored answer that begins otherwise', () => {
  const answer = new AnswerText()
  answer.begin(1)
  answer.take(chunk(0, 'ab'))
  assert.is(answer.complete('axcdef', 3), undefined)
})
Text('another attempt begins from nothing', () => {
  const answer = new AnswerText()
  answer.begin(1)
  answer.take(chunk(1, 'late'))
  answer.begin(2)
  assert.is(answer.take(chunk(0, 'new')), 'new')
  assert.is(answer.text, 'new')
})
Text('of an attempt before nothing is left when another begins', () => {
  const answer = new AnswerText()
  answer.begin(1)
  answer.take({ ...chunk(0, 'ab'), head: {} as Chunk['head'] & object })
  answer.take(chunk(2, 'held'))
  answer.begin(2)
  assert.equal([answer.attempt, answer.chunks, answer.text, answer.head], [2, 0, '', undefined])
  assert.is(answer.take(chunk(0, 'x')), 'x')
  assert.is(answer.take(chunk(1, 'y')), 'y', 'what was held of the one before does not follow')
})
Text('one that is given up makes way for the next, a later one does not', () => {
  const answer = new AnswerText()
  answer.giveUp(1)
  assert.is(answer.attempt, 2)
  answer.take(chunk(0, 'ab'))
  answer.giveUp(1)
  assert.equal([answer.attempt, answer.text], [2, 'ab'])
  answer.giveUp(2)
  assert.equal([answer.attempt, answer.text], [3, ''])
})
Text.run()

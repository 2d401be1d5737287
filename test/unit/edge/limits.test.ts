import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { errorBody } from '../../../src/api/http/errors.ts'
import { isDeeperThan } from '../../../src/api/http/json-body.ts'
import { cannotFit, roomForAnswer } from '../../../src/edge/chat/context-window.ts'

const user = (content: string) => [{ role: 'user' as const, content }]

const Depth = suite('JSON depth')
Depth('counts brackets outside strings only', () => {
  assert.is(isDeeperThan('['.repeat(32), 32), false)
  assert.is(isDeeperThan('['.repeat(33), 32), true)
  assert.is(isDeeperThan(JSON.stringify({ a: '['.repeat(100) }), 32), false)
  assert.is(isDeeperThan(`{"a":"\\"${'['.repeat(100)}"}`, 32), false)
  assert.is(isDeeperThan(`{"a":"\\\\",${'"b":['.repeat(40)}`, 32), true)
  assert.is(isDeeperThan('"never closed', 32), false)
  assert.is(isDeeperThan('[],'.repeat(1_000), 32), false)
})
Depth.run()

const Window = suite('context window')
Window('refuses only what cannot fit by any count', () => {
  assert.is(cannotFit(user('word '.repeat(1_000)), 1_000), false)
  assert.is(cannotFit(user('word '.repeat(20_000)), 1_000), true)
  assert.is(cannotFit(user(' '.repeat(100_000)), 1_000), false, 'runs pack tightly')
})
Window('an answer always has some room', () => {
  assert.is(roomForAnswer(user('xy'.repeat(40)), 1_000), 990)
  assert.is(roomForAnswer(user('xy'.repeat(40_000)), 1_000), 1)
})
Window('blanks do not take the room of an answer', () => {
  assert.is(roomForAnswer(user(`{${' '.repeat(80_000)}}`), 1_000), 999)
})
Window.run()

const Envelope = suite('error envelope')
Envelope('has every field, details only where there are some', () => {
  assert.equal(errorBody({ code: 'invalid_request', message: 'm', param: 'n' }, 'http://d'), {
    error: {
      code: 'invalid_request',
      message: 'm',
      type: 'invalid_request_error',
      param: 'n',
      docs: 'http://d/api-reference/errors#invalid_request',
    },
  })
  const { error } = errorBody(
    { code: 'no_workers_available', message: 'm', details: { model: 'x', retry_after: 5 } },
    'http://d',
  )
  assert.is(error.param, null)
  assert.is(error.type, 'capacity_error')
  assert.equal(error.details, { model: 'x', retry_after: 5 })
})
Envelope('quotes no half of a character, wherever what it quotes was cut', () => {
  const { error } = errorBody({ code: 'job_not_found', message: '\u{1f600}`'.slice(1) }, 'http://d')
  assert.is(error.message, '\ufffd`')
  const whole = errorBody({ code: 'job_not_found', message: 'no \u{1f600}' }, 'http://d')
  assert.is(whole.error.message, 'no \u{1f600}')
})
Envelope.run()

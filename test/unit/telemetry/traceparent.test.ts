import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  namedSpan,
  parseTraceparent,
  toTraceparent,
  traceIdOf,
  traceparentOf,
} from '../../../src/domain/traceparent.ts'

const Context = suite('telemetry: traceparent')

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const header = `00-${traceId}-${spanId}-01`

Context('is read as W3C Trace Context has it', () => {
  assert.equal(parseTraceparent(header), { traceId, spanId, sampled: true })
  assert.is(parseTraceparent(`00-${traceId}-${spanId}-00`)?.sampled, false)
  // Only the lowest bit says so; a later version may say more.
  assert.is(parseTraceparent(`00-${traceId}-${spanId}-03`)?.sampled, true)
  assert.is(parseTraceparent(`00-${traceId}-${spanId}-02`)?.sampled, false)
  assert.equal(parseTraceparent(`42-${traceId}-${spanId}-01-more`)?.traceId, traceId)
})

Context('what is none is as if nothing had been sent', () => {
  const none = [
    ...[undefined, null, 7, [header], '', 'x', header.slice(1), `${header}-`, `${header}-more`],
    ...[`ff-${traceId}-${spanId}-01`, header.toUpperCase(), ` ${header}`, `${header}\n`],
    ...[`00-${'0'.repeat(32)}-${spanId}-01`, `00-${traceId}-${'0'.repeat(16)}-01`],
  ]
  for (const each of none) assert.is(parseTraceparent(each), undefined, String(each))
})

Context('inside the house only work that is recorded has one', () => {
  assert.is(toTraceparent(header), header)
  assert.is(toTraceparent(`00-${traceId}-${spanId}-00`), undefined)
  assert.is(toTraceparent(''), undefined)
  assert.is(traceIdOf(traceparentOf(traceId, spanId)), traceId)
})

Context('a named span has the same place whoever works it out, and its own', () => {
  const context = traceparentOf(traceId, spanId)
  const one = namedSpan(context, 'job_1')
  assert.is(namedSpan(traceparentOf(traceId, 'b'.repeat(16)), 'job_1'), one)
  assert.is(traceIdOf(one), traceId)
  assert.ok(toTraceparent(one))
  assert.is.not(namedSpan(context, 'job_2'), one)
})

Context.run()

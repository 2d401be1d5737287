import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { spanOf } from '../../../../src/web/app/pages/webhooks/span-of-time.ts'
import { parseReplayOrder } from '../../../../src/web/webhooks/replay-order.ts'

const Span = suite('a span of time that is replayed')

const NOW = Date.parse('2026-06-08T12:00:00Z')

Span('what is typed is what the service takes', () => {
  const span = spanOf('2026-06-01 12:00', '2026-06-02T00:30', NOW)
  assert.ok(span)
  const from = new Date(2026, 5, 1, 12).getTime()
  const to = new Date(2026, 5, 2, 0, 30).getTime()
  const order = parseReplayOrder({ type: 'range', ...span })
  assert.equal(order, { ok: true, value: { type: 'range', from, to } })
})

Span('without an end it goes past now: a webhook is made active a moment later', () => {
  const span = spanOf('2026-06-01T12:00', '', NOW)
  assert.ok(span && Date.parse(span.to) > NOW)
})

Span('what ends before it begins, or is no date, is none', () => {
  assert.is(spanOf('2026-06-02T12:00', '2026-06-01T12:00', NOW), undefined)
  assert.is(spanOf('', '', NOW), undefined)
  assert.is(spanOf('2026-06-01', '', NOW), undefined)
  assert.is(spanOf('', '2026-06-01T12:00', NOW), undefined)
  assert.is(spanOf('2026-06-01T12:00', 'x', NOW), undefined)
  assert.is(spanOf('2027-06-01T12:00', '', NOW), undefined)
})

Span.run()

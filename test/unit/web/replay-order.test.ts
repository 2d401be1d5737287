import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseReplayOrder } from '../../../src/web/webhooks/replay-order.ts'

const ReplayOrder = suite('replay order')

const paramOf = (body: Parameters<typeof parseReplayOrder>[0]) => {
  const parsed = parseReplayOrder(body)
  return parsed.ok ? undefined : parsed.error.param
}

ReplayOrder('given what belongs together, says what is to be sent again', () => {
  const one = parseReplayOrder({ type: 'one', event_id: 'evt_1', position: '7' })
  assert.equal(one, { ok: true, value: { type: 'one', eventId: 'evt_1', position: '7' } })
  assert.equal(parseReplayOrder({ type: 'failed' }), { ok: true, value: { type: 'failed' } })
  const times = { from: '2026-06-01T00:00:00Z', to: '2026-06-01T02:00:00+01:00' }
  const range = parseReplayOrder({ type: 'range', ...times })
  const from = Date.UTC(2026, 5, 1)
  assert.equal(range, { ok: true, value: { type: 'range', from, to: from + 3_600_000 } })
})

ReplayOrder('given what is unclear, names the field', () => {
  assert.is(paramOf({ type: 'some' }), 'type')
  assert.is(paramOf({ type: 'one' }), 'event_id')
  const to = '2026-06-01T00:00:00Z'
  for (const from of ['2026-06-01', 'now', '2026-13-01T00:00:00Z', '1969-01-01T00:00:00Z']) {
    assert.is(paramOf({ type: 'range', from, to }), 'from', from)
  }
  assert.is(paramOf({ type: 'range', to }), 'from')
  assert.is(paramOf({ type: 'range', from: '2026-06-02T00:00:00Z', to }), 'to')
})

ReplayOrder.run()

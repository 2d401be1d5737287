import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiKeyHash } from '../../../src/domain/hash.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { type EventReader, readEvents } from '../../fakes/edge/event-reader.ts'
import { fastClock } from '../../fakes/edge/fast-clock.ts'
import {
  call,
  DOCS_URL,
  jsonOf,
  KEY,
  openStage,
  type Stage,
  WALLET,
} from '../../fakes/edge/stage.ts'
import { lowFact, slashedFact, topupFact } from '../../fakes/webhooks/facts.ts'
import { until } from '../../until.ts'

const Events = suite<{ stage: Stage; readers: EventReader[] }>('edge: events as they happen')
Events.before.each(async (context) => {
  context.stage = await openStage()
  context.readers = []
})
Events.after.each(async ({ stage, readers }) => {
  for (const reader of readers) reader.close()
  await stage.close()
})

const OTHER = toAddress(`0x${'99'.repeat(20)}`)
const AT = toUnixMs(1_800_000_000_000)

const listen = async (
  { stage, readers }: { stage: Stage; readers: EventReader[] },
  query = '',
  headers: Record<string, string> = {},
) => {
  const reader = await readEvents(`${stage.url}/v1/events${query}`, KEY, headers)
  readers.push(reader)
  return reader
}
const tell = (stage: Stage, ...facts: ReturnType<typeof topupFact>[]) => {
  for (const fact of facts) {
    stage.facts.store(fact)
    stage.bus.publish(SUBJECTS.fact(fact.wallet, fact.type), fact)
  }
}

Events('one’s own and those of workers, as a webhook would be sent them', async (context) => {
  const { stage } = context
  stage.facts.store(topupFact(WALLET, AT, 0))
  const reader = await listen(context)
  assert.is(reader.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.is(reader.response.headers.get('x-svc-credits-remaining'), '1000')
  assert.ok(stage.listeners.entries.has(WALLET), 'who listens is known, so that events are told')
  stage.facts.store(topupFact(OTHER, AT, 1))
  stage.facts.store(slashedFact(AT, 2))
  tell(stage, topupFact(WALLET, AT, 3))
  await until('both events', () => reader.events.length >= 2)
  assert.equal(
    reader.events.map(({ id, event }) => [id, event]),
    [
      ['3', 'worker.slashed'],
      ['4', 'credit.topup'],
    ],
  )
  const { id, data } = topupFact(WALLET, AT, 3)
  const expected = {
    id,
    event: 'credit.topup',
    created_at: '2027-01-15T08:00:00.000Z',
    api_version: '2026-06-01',
    data,
  }
  assert.is(reader.events[1]!.data, JSON.stringify(expected))
})

Events('goes on after the last event that a reader has', async (context) => {
  const { stage } = context
  for (let place = 0; place < 5; place++) stage.facts.store(topupFact(WALLET, AT, place))
  const reader = await listen(context, '', { 'last-event-id': '3' })
  await until('what was missed', () => reader.events.length >= 2)
  assert.equal(
    reader.events.map(({ id }) => id),
    ['4', '5'],
  )
})

Events('only the types that are asked for; the place moves on all the same', async (context) => {
  const { stage } = context
  const reader = await listen(context, '?events=credit.low')
  stage.facts.store(topupFact(WALLET, AT, 1))
  stage.facts.store(lowFact(WALLET, AT, 2))
  await until('the event', () => reader.events.length >= 1)
  assert.is(reader.events[0]!.event, 'credit.low')
})

Events('a comment after silence says how far the reader has come', async (context) => {
  await context.stage.close()
  context.stage = await openStage({ clock: fastClock(50) })
  const reader = await listen(context, '?events=credit.low')
  context.stage.facts.store(topupFact(WALLET, AT, 1))
  await until('the place', () => reader.lastId() === '1')
  assert.equal(reader.events, [])
})

Events('ends with a reason when the key is revoked', async (context) => {
  const { stage } = context
  const reader = await listen(context)
  await stage.keys.delete(apiKeyHash(KEY))
  await until('the end', () => reader.ended())
  const [last] = reader.events
  assert.is(last?.event, 'error')
  const { error } = JSON.parse(last!.data)
  assert.is(error.code, 'invalid_api_key')
  assert.is(error.docs, `${DOCS_URL}/api-reference/errors#invalid_api_key`)
  tell(stage, topupFact(WALLET, AT, 1))
  assert.is(reader.events.length, 1)
})

Events('an edge that goes down lets its readers go', async (context) => {
  const reader = await listen(context)
  await context.stage.edge.stop()
  await until('the end', () => reader.ended())
})

Events('refuses what it cannot read, and too many at once', async (context) => {
  const { stage } = context
  for (const [query, headers, param] of [
    ['?events=job.done', {}, 'events'],
    ['?events=', {}, 'events'],
    ['', { 'last-event-id': 'evt_1' }, 'last-event-id'],
  ] as const) {
    const answer = await fetch(`${stage.url}/v1/events${query}`, {
      headers: { authorization: `Bearer ${KEY}`, ...headers },
    })
    const { error } = await jsonOf(answer)
    assert.equal([answer.status, error.code, error.param], [400, 'invalid_request', param])
  }
  assert.is((await call(stage, '/v1/events', { key: null })).status, 401)
  // All of them have been let in before the first has its place.
  const set = stage.listeners.set.bind(stage.listeners)
  let announced = 0
  stage.listeners.set = async (...entry) => {
    announced++
    await until('all to be let in', () => announced >= 14)
    return set(...entry)
  }
  const came = await Promise.allSettled(Array.from({ length: 14 }, () => listen(context)))
  assert.is(came.filter(({ status }) => status === 'fulfilled').length, 10)
  const { error } = await jsonOf(await call(stage, '/v1/events'))
  assert.is(error.code, 'rate_limited')
})

Events('a reader that does not read holds up nobody, and is sent nothing more', async (context) => {
  const { stage } = context
  const slow = await listen(context)
  slow.pause()
  const reader = await listen(context)
  const many = Array.from({ length: 5_000 }, (_, place) => topupFact(WALLET, AT, place))
  tell(stage, ...many)
  await until('all events', () => reader.events.length >= many.length)
  slow.resume()
  await until('all events', () => slow.events.length >= many.length)
  assert.equal(
    slow.events.map(({ id }) => Number(id)),
    many.map((_, i) => i + 1),
  )
})

Events.run()

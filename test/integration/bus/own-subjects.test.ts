import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type NatsConnection } from 'nats'
import { pino } from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeCoreBus } from '../../../src/bus/core/core-bus.ts'
import { type Bus, NoResponders, RequestTimeout } from '../../../src/ports/bus.ts'
import { SOON_MS, until } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'

/** What a host says to the jobs that it runs itself does not go to the server and back. */
const Own = suite('own subjects on a real nats-server')
const log = pino({ level: 'silent' })
let server: Server
let connections: readonly NatsConnection[]
let here: Bus
let elsewhere: Bus

Own.before.each(async () => {
  server = await startNats()
  connections = [await connect({ servers: server.url }), await connect({ servers: server.url })]
  const [one, other] = connections.map((each) => makeCoreBus(each, log))
  here = one!
  elsewhere = other!
})
Own.after.each(async () => {
  await Promise.all(connections.map((each) => each.close()))
  await server.stop()
})

Own('what is said here is heard here, once, and answered', async () => {
  const heard: unknown[] = []
  here.subscribe(
    'cmd.7.*.*',
    (message, subject, respond, trace) => {
      heard.push([message, subject, trace])
      respond({ got: message })
    },
    { own: true },
  )
  await here.flush()
  const before = connections[0]!.stats().outMsgs
  here.publish('cmd.7.house.a', { n: 1n })
  assert.equal(heard, [], 'not before the one who speaks is done')
  const trace = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` as never
  assert.equal(await here.request('cmd.7.house.b', 2, 1_000, trace), { got: 2 })
  await here.flush()
  await sleep(50)
  assert.equal(heard, [
    [{ n: 1n }, 'cmd.7.house.a', undefined],
    [2, 'cmd.7.house.b', trace],
  ])
  assert.is(connections[0]!.stats().outMsgs, before, 'the server heard nothing of it')
})

Own('a subject without a wildcard stays here, too, and no longer than its listener', async () => {
  const heard: unknown[] = []
  const listener = here.subscribe('lane.lock', (message) => heard.push(message), { own: true })
  elsewhere.subscribe('lane.*', (message) => heard.push(['elsewhere', message]))
  await Promise.all([here.flush(), elsewhere.flush()])
  here.publish('lane.lock', 1)
  here.publish('lane.settle', 2)
  listener.unsubscribe()
  here.publish('lane.lock', 3)
  await until('three messages', () => heard.length >= 3, SOON_MS)
  assert.equal(heard, [1, ['elsewhere', 2], ['elsewhere', 3]])
})

Own('others reach it over the server, and it reaches others', async () => {
  const heard: unknown[] = []
  here.subscribe('cmd.7.*.*', (message) => heard.push(message), { own: true })
  elsewhere.subscribe('cmd.8.*.*', (_message, _subject, respond) => respond('there'), { own: true })
  await Promise.all([here.flush(), elsewhere.flush()])
  elsewhere.publish('cmd.7.house.a', 'from elsewhere')
  await until('the message', () => heard.length === 1, SOON_MS)
  assert.is(await here.request('cmd.8.house.a', 1, 1_000), 'there')
})

Own('given up, its place is where the others are', async () => {
  const subscription = here.subscribe('cmd.7.*.*', (_m, _s, respond) => respond('here'), {
    own: true,
  })
  elsewhere.subscribe('cmd.7.*.*', (_m, _s, respond) => respond('there'), { own: true })
  await elsewhere.flush()
  assert.is(await here.request('cmd.7.house.a', 1, 1_000), 'here')
  subscription.unsubscribe()
  assert.is(await here.request('cmd.7.house.a', 1, 1_000), 'there')
})

Own('silence, nobody and a broken handler are told as ever', async () => {
  here.subscribe('cmd.7.*.*', () => {}, { own: true })
  here.subscribe(
    'cmd.9.*.*',
    () => {
      throw new Error('broken')
    },
    { own: true },
  )
  const failure = (asked: Promise<unknown>) => asked.catch((error: unknown) => error)
  assert.instance(await failure(here.request('cmd.7.house.a', 1, 50)), RequestTimeout)
  assert.instance(await failure(here.request('cmd.9.house.a', 1, 50)), RequestTimeout)
  // Another number of tokens is another subject.
  assert.instance(await failure(here.request('cmd.7.house', 1, 1_000)), NoResponders)
  assert.instance(await failure(here.request('cmd.7.house.a.b', 1, 1_000)), NoResponders)
  assert.instance(await failure(here.request('cmd.77.house.a', 1, 1_000)), NoResponders)
})

Own.run()

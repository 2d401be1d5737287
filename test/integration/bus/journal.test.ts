import { connect } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { NoResponders, RequestTimeout } from '../../../src/ports/bus.ts'
import type { StoredRecord } from '../../../src/ports/journal.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'

const test = suite('bus and journal on a real nats-server')
let server: Server
let nats: Nats

test.before(async () => {
  server = await startNats()
  nats = await connectNats({ servers: server.url, name: 'test', log: makeLog('test', 'silent') })
})
test.after(async () => {
  await nats.close()
  await server.stop()
})

test('append: wins once, then conflicts, and the last record is the winner', async () => {
  const journal = await nats.journal('JOB')
  const first = await journal.append('job.1.a', 0, { token: 't1', body: { credits: 40n } })
  assert.type(first, 'number')
  assert.is(await journal.append('job.1.a', 0, { token: 't2', body: {} }), 'conflict')
  const last = await journal.last('job.1.a')
  assert.equal(last?.body, { credits: 40n })
  assert.is(last?.sequence, first)
  assert.type(await journal.append('job.1.a', first as number, { token: 't3', body: {} }), 'number')
})

test('append: the same append again is told that it had won', async () => {
  const journal = await nats.journal('JOB')
  const record = { token: 'same', body: { n: 1 } }
  const first = await journal.append('job.1.b', 0, record)
  assert.is(await journal.append('job.1.b', 0, record), first)
})

test('last: of a subject never written is undefined', async () => {
  assert.is(await (await nats.journal('JOB')).last('job.1.none'), undefined)
})

test('read: gives every record in order, and ends', async () => {
  const journal = await nats.journal('JOB')
  const from = (await journal.lastSequence()) + 1
  for (let i = 0; i < 2_500; i++) {
    void journal.append(`job.2.${i}`, 0, { token: `r${i}`, body: i })
  }
  await until('all appends', async () => (await journal.lastSequence()) >= from + 2_499)
  const seen: StoredRecord[] = []
  await journal.read(from, (record) => seen.push(record))
  assert.is(seen.length, 2_500)
  assert.ok(seen.every((record, i) => i === 0 || record.sequence > seen[i - 1]!.sequence))
  const none: StoredRecord[] = []
  await journal.read((await journal.lastSequence()) + 1, (record) => none.push(record))
  assert.is(none.length, 0)
})

test('a record that nobody can read hides no other, and is asked for once', async () => {
  const journal = await nats.journal('JOB')
  const from = (await journal.lastSequence()) + 1
  const stranger = await connect({ servers: server.url })
  // Text, nothing, and what is no record.
  for (const bytes of [Buffer.from('{"a":1}'), Buffer.alloc(0), Buffer.of(0xc0)]) {
    stranger.publish('job.4.bad', bytes)
  }
  await stranger.drain()
  await journal.append('job.4.good', 0, { token: 't', body: 7 })
  const read: StoredRecord[] = []
  await journal.read(from, (record) => read.push(record))
  await (await nats.jobReader()).read(from, async (records) => void read.push(...records))
  assert.equal(
    read.map(({ subject, body }) => [subject, body]),
    [
      ['job.4.good', 7],
      ['job.4.good', 7],
    ],
  )
  const told = await journal.last('job.4.bad').catch((error: unknown) => error)
  assert.instance(told, Error)
  const lost = journal.append('job.4.bad', 0, { token: 't', body: {} })
  assert.instance(await lost.catch((error: unknown) => error), Error)
})

test('registry: put compares, watch tells of now and of later', async () => {
  const registry = await nats.registry('PARTS')
  const seen: unknown[] = []
  const revision = await registry.put('claim.p.1', { host: 'a' }, 0)
  assert.is(await registry.put('claim.p.1', { host: 'b' }, 0), 'conflict')
  const stop = await registry.watch('claim.>', (key, entry) => seen.push([key, entry?.value]))
  assert.type(await registry.put('claim.p.1', { host: 'c' }, revision as number), 'number')
  await until('the watch', () => seen.length === 2)
  stop()
  assert.equal(seen, [
    ['claim.p.1', { host: 'a' }],
    ['claim.p.1', { host: 'c' }],
  ])
})

test('registry: given a revision, delete compares', async () => {
  const registry = await nats.registry('PARTS')
  const read = await registry.put('claim.p.2', { host: 'a' }, 0)
  await registry.set('claim.p.2', { host: 'b' })
  assert.is(await registry.delete('claim.p.2', read as number), 'conflict')
  const entry = await registry.get('claim.p.2')
  assert.equal(entry?.value, { host: 'b' })
  assert.is(await registry.delete('claim.p.2', entry!.revision), 'deleted')
  assert.is(await registry.get('claim.p.2'), undefined)
})

test('request: nobody listening and nobody answering are told apart', async () => {
  const missing = await nats.bus.request('nobody', 1, 20_000).catch((error: unknown) => error)
  assert.instance(missing, NoResponders)
  const silent = nats.bus.subscribe('silent', () => {})
  const late = await nats.bus.request('silent', 1, 100).catch((error: unknown) => error)
  silent.unsubscribe()
  assert.instance(late, RequestTimeout)
})

test('a crash of the server loses no acknowledged append, and appends go on after it', async () => {
  const journal = await nats.journal('JOB')
  const acknowledged = new Set<string>()
  const appends = Array.from({ length: 400 }, async (_, i) => {
    const subject = `job.3.${i}`
    const sequence = await journal.append(subject, 0, { token: `c${i}`, body: i })
    if (sequence !== 'conflict') acknowledged.add(subject)
  })
  await server.crash()
  await Promise.all(appends)
  assert.is(acknowledged.size, 400)
  const found = new Set<string>()
  await journal.read(1, ({ subject }) => subject.startsWith('job.3.') && found.add(subject))
  assert.is(found.size, 400)
})

test.run()

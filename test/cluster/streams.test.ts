import { connect, type NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../src/bus/connect.ts'
import { natsAddress } from '../../src/bus/connection/address.ts'
import { OperatorError } from '../../src/domain/operator-error.ts'
import type { StoredRecord } from '../../src/ports/journal.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { startNats } from '../integration/servers.ts'
import { until } from '../until.ts'
import { type NatsCluster, startNatsCluster } from './nats-cluster.ts'

/** Streams and buckets with three copies, while servers of the cluster die. */
const Streams = suite('streams on a NATS cluster')
const log = makeLog('test', 'silent')
const REFUSED_MS = 20_000
let cluster: NatsCluster
let nats: Nats

Streams.before(async () => {
  cluster = await startNatsCluster()
  nats = await open()
})
Streams.after(async () => {
  await nats?.close()
  await cluster?.stop()
})

const open = (replicas: number | undefined = 3, servers = cluster.urlAs('actors')): Promise<Nats> =>
  connectNats({ servers, name: 'test', log, ...(replicas === undefined ? {} : { replicas }) })

Streams('new streams and buckets have three copies', async () => {
  await nats.journal('JOB')
  await nats.registry('PARTS')
  for (const stream of ['JOB', 'KV_PARTS']) {
    const { config, cluster: peers } = await cluster.infoOf(stream)
    assert.is(config.num_replicas, 3, stream)
    assert.is(peers?.replicas?.length, 2, stream)
  }
})

Streams('those that one server kept are brought up to three, with what they hold', async () => {
  const alone = await open(1)
  const journal = await alone.journal('TX')
  for (let i = 0; i < 50; i++) await journal.append(`tx.${i}`, 0, { token: `t${i}`, body: i })
  await (await alone.registry('LOW')).set('wallet', 'low')
  await alone.close()
  await (await nats.journal('TX')).lastSequence()
  const low = await nats.registry('LOW')
  await cluster.untilWhole()
  assert.is((await cluster.infoOf('TX')).config.num_replicas, 3)
  assert.is((await low.get('wallet'))?.value, 'low')
  // Whoever held it alone may go now.
  const leader = await cluster.leaderOf('TX')
  await cluster.end(leader, 'SIGKILL')
  const seen: StoredRecord[] = []
  await (await nats.journal('TX')).read(1, (record) => seen.push(record))
  assert.is(seen.length, 50)
  await cluster.start(leader)
  await cluster.untilWhole()
})

Streams('a role that is told fewer copies than there are is refused', async () => {
  const other = await open(1)
  const failure = await other.journal('JOB').catch((error: unknown) => error)
  await other.close()
  assert.instance(failure, OperatorError)
  assert.match((failure as Error).message, 'JOB is kept by 3 servers, but NATS_REPLICAS is 1')
  assert.is((await cluster.infoOf('JOB')).config.num_replicas, 3)
})

Streams('more copies than there are servers are refused', async () => {
  const server = await startNats()
  // The machine's own server, whatever its age.
  const single = await open(3, server.url)
  const failure = await single.journal('JOB').catch((error: unknown) => error)
  await single.close()
  await server.stop()
  assert.instance(failure, OperatorError)
  assert.match((failure as Error).message, 'NATS_REPLICAS')
})

Streams('each server knows the users, and what they may not say', async () => {
  for (const server of cluster.urlAs('edge').split(',')) {
    const { host } = new URL(server)
    const asEdge = { ...natsAddress(cluster.urlAs('edge')), servers: [host] }
    const edge = await connect(asEdge)
    const refused = await edge
      .request('job.1.stolen', '', { timeout: REFUSED_MS })
      .catch((error: unknown) => error)
    await edge.close()
    assert.is((refused as NatsError).code, 'PERMISSIONS_VIOLATION', host)
    const { inboxPrefix: _, ...nobody } = { ...asEdge, pass: 'guessed' }
    const stranger = await connect(nobody).catch((error: unknown) => error)
    assert.is((stranger as NatsError).code, 'AUTHORIZATION_VIOLATION', host)
  }
})

Streams('tools leave the copies as they are', async () => {
  const tool = await open(undefined)
  await tool.journal('JOB')
  await tool.close()
  assert.is((await cluster.infoOf('JOB')).config.num_replicas, 3)
})

for (const victim of ['leader', 'follower'] as const) {
  Streams(`kill -9 of a ${victim} under appends: none that was acknowledged is lost`, async () => {
    await cluster.untilWhole()
    const journal = await nats.journal('JOB')
    const acknowledged = new Map<string, number>()
    let going = true
    // Of two writers that expect the same, at most one may win each step.
    const wins: string[] = []
    const writers = Array.from({ length: 24 }, async (_, writer) => {
      const subject = `job.1.${victim}-${writer >> 1}`
      for (let step = 0; going; step++) {
        const last = await journal.last(subject)
        const token = `${victim}-${writer}-${step}`
        const expected = last?.sequence ?? 0
        const sequence = await journal.append(subject, expected, { token, body: step })
        if (sequence === 'conflict') continue
        acknowledged.set(token, sequence)
        wins.push(`${subject} after ${expected}`)
      }
    })
    // What one of them throws is thrown below, to whoever waits for it.
    for (const writer of writers) writer.catch(() => {})
    try {
      await until('appends', () => acknowledged.size > 100)
      const name =
        victim === 'leader' ? await cluster.leaderOf('JOB') : (await cluster.followersOf('JOB'))[0]!
      await cluster.end(name, 'SIGKILL')
      const before = acknowledged.size
      await until('appends without it', () => acknowledged.size > before + 200, 30_000)
      await cluster.start(name)
      const then = acknowledged.size
      await until('appends beside its return', () => acknowledged.size > then + 200, 30_000)
    } finally {
      // Else they go on, and what they throw once the connection is closed hides what failed here.
      going = false
    }
    await Promise.all(writers)
    assert.is(new Set(wins).size, wins.length, 'two writers won the same step')
    const stored = new Map<string, number>()
    await journal.read(1, ({ token, sequence }) => stored.set(token, sequence))
    for (const [token, sequence] of acknowledged) assert.is(stored.get(token), sequence, token)
  })
}

Streams('a watch goes on when the server that feeds it is killed', async () => {
  await cluster.untilWhole()
  const keys = await nats.registry('KEYS')
  const watches = await Promise.all(
    // Their consumers are on servers of chance: with so many, each server has some.
    Array.from({ length: 9 }, async () => {
      const seen = new Map<string, unknown>()
      const stop = await keys.watch('>', (key, entry) => seen.set(key, entry?.value), {
        updatesOnly: true,
      })
      return { seen, stop }
    }),
  )
  const all = (key: string) => watches.every(({ seen }) => seen.has(key))
  await keys.set('first', 1)
  await until('all watches hear', () => all('first'))
  const name = (await cluster.followersOf('KV_KEYS'))[0]!
  await cluster.end(name, 'SIGKILL')
  // Our own connection may have been to that server: what it took with it is said again.
  await until('the second is kept', () =>
    keys.set('second', 2).then(
      () => true,
      () => false,
    ),
  )
  await until('all watches hear again', () => all('second'), 20_000)
  for (const { stop } of watches) stop()
  await cluster.start(name)
  await cluster.untilWhole()
})

Streams.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../src/bus/connect.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { ActorHost } from '../../src/runtime/actor-host.ts'
import { type ActorKind, accept, type DueEffect, nothing } from '../../src/runtime/kind.ts'
import { Ownership, type ResourceKind } from '../../src/runtime/ownership.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { until } from '../until.ts'
import { type Server, startNats } from './servers.ts'

/** The smallest actor with a duty: counts, and rings once its alarm is due. */
interface Counter {
  readonly count: number
  readonly alarmAt: number | null
  readonly rung: boolean
}
type Command = { type: 'add' } | { type: 'alarm'; at: number } | { type: 'ring' }
type Event = { type: 'added' } | { type: 'set'; at: number } | { type: 'rang' }

const rings: string[] = []
const counter = (host: string): ActorKind<Counter, Command, Event, DueEffect> => ({
  subject: (id) => `job.0.${id}`,
  creates: () => false,
  decide: (state, command) => {
    if (command.type === 'add') return accept({ type: 'added' })
    if (command.type === 'alarm') return accept({ type: 'set', at: command.at })
    return state?.rung ? nothing : accept({ type: 'rang' })
  },
  evolve: (state = { count: 0, alarmAt: null, rung: false }, event) => {
    if (event.type === 'added') return { ...state, count: state.count + 1 }
    if (event.type === 'set') return { ...state, alarmAt: event.at }
    return { ...state, rung: true }
  },
  due: ({ alarmAt, rung }) =>
    alarmAt === null || rung ? [] : [{ key: 'ring', notBefore: toUnixMs(alarmAt) }],
  rests: ({ alarmAt, rung }) => alarmAt === null || rung,
  reply: (state) => state?.count ?? 0,
  run: async (_effect, _state, { tell }) => {
    rings.push(host)
    tell({ type: 'ring' })
  },
})

/** A clock that stops with its host, as all timers do when a process is killed. */
function mortalClock(): Clock & { kill(): void } {
  const timers = new Set<() => void>()
  let dead = false
  const keep = (cancel: () => void) => {
    timers.add(cancel)
    return cancel
  }
  return {
    ...systemClock,
    after: (span, call) => (dead ? () => {} : keep(systemClock.after(span, call))),
    every: (span, call) => (dead ? () => {} : keep(systemClock.every(span, call))),
    kill: () => {
      dead = true
      for (const cancel of timers) cancel()
    },
  }
}

interface Host {
  readonly name: string
  readonly clock: ReturnType<typeof mortalClock>
  readonly nats: Nats
  readonly ownership: Ownership
  readonly actors: ActorHost<Counter, Command, Event, DueEffect>
}

const NAMES = Array.from({ length: 8 }, (_, i) => `p.${i}`)
const numbers = (names: readonly string[]) => names.map((name) => Number(name.slice(2)))
const partitionOf = (id: string) => Number(id.slice(-1))
let server: Server

async function startHost(name: string): Promise<Host> {
  const log = makeLog(name, 'silent')
  const nats = await connectNats({ servers: server.url, name, log })
  const clock = mortalClock()
  const journal = await nats.journal('JOB')
  let appends = 0
  const actors = new ActorHost({
    kind: counter(name),
    bus: nats.bus,
    journal,
    clock,
    log,
    token: () => `${name}.${++appends}`,
    commandSubject: (partition: number) => `cmd.${partition}.*`,
    actorOf: (subject: string) => subject.slice(subject.lastIndexOf('.') + 1),
    partitionOf,
  })
  const resource: ResourceKind = {
    kind: 'counter',
    names: NAMES,
    acquire: async (claims) => {
      const partitions = numbers(claims.map((claim) => claim.name))
      await actors.acquire(partitions)
      await actors.rehydrate(partitions, Math.min(...claims.map((claim) => claim.from)))
    },
    release: (names) => actors.release(numbers(names)),
    checkpoints: () =>
      new Map([...actors.checkpoints()].map(([partition, from]) => [`p.${partition}`, from])),
  }
  const ownership = new Ownership({
    hostId: name,
    resources: [resource],
    bus: nats.bus,
    registry: await nats.registry('PARTS'),
    clock,
    log,
  })
  await ownership.start()
  return { name, clock, nats, ownership, actors }
}

const holds = (host: Host) => NAMES.filter((name) => host.ownership.holds(name)).length

const SAY_MS = 60_000
const ANSWER_MS = 15_000

/** Says a command until somebody answers, as every sender in the house does. */
async function say(nats: Nats, id: string, command: Command): Promise<unknown> {
  const deadline = performance.now() + SAY_MS
  while (performance.now() < deadline) {
    try {
      // One that is only slow has done it: said again, it would be done twice.
      return await nats.bus.request(`cmd.${partitionOf(id)}.${id}`, command, ANSWER_MS)
    } catch {
      nats.bus.publish('parts.orphan', { partition: partitionOf(id) })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error(`nobody answered for ${id}`)
}

const test = suite('partitions shared between hosts')
let client: Nats
test.before(async () => {
  server = await startNats()
  client = await connectNats({
    servers: server.url,
    name: 'client',
    log: makeLog('client', 'silent'),
  })
})
test.after(async () => {
  await client.close()
  await server.stop()
})

test('a host alone takes all; a second gets its share; leaving gives it back', async () => {
  const a = await startHost('a')
  await until('a to take all', () => holds(a) === 8)
  const b = await startHost('b')
  await until('an even share', () => holds(a) + holds(b) === 8 && holds(b) > 0)
  assert.is(await say(client, 'share-1', { type: 'add' }), 1)
  await b.ownership.stop()
  await b.nats.close()
  await until('a to take all again', () => holds(a) === 8)
  assert.is(await say(client, 'share-1', { type: 'add' }), 2)
  await a.ownership.stop()
  await a.nats.close()
})

test('a host that dies is replaced at once, with its actors and their timers', async () => {
  const a = await startHost('c')
  await until('c to take all', () => holds(a) === 8)
  const ids = Array.from({ length: 8 }, (_, i) => `die-${i}`)
  const alarmAt = Date.now() + 1_500
  const before = rings.length
  for (const id of ids) {
    await say(client, id, { type: 'add' })
    await say(client, id, { type: 'alarm', at: alarmAt })
  }
  // Its connection is cut and it says nothing more, as when the process is killed.
  const b = await startHost('d')
  await until('an even share', () => holds(b) > 0)
  for (const id of ids) await say(client, id, { type: 'add' })
  b.clock.kill()
  await b.nats.close()
  const counts = await Promise.all(ids.map((id) => say(client, id, { type: 'add' })))
  assert.equal(
    counts,
    ids.map(() => 3),
  )
  await until('every alarm to ring', async () => {
    const rung = await Promise.all(
      ids.map(async (id) => {
        const last = await (await client.journal('JOB')).last(`job.0.${id}`)
        return (last?.body as { state: Counter } | undefined)?.state.rung ?? false
      }),
    )
    return rung.every(Boolean)
  })
  assert.ok(rings.length >= before + 8)
  await a.ownership.stop()
  await a.nats.close()
})

test('of two owners at once only one is written down', async () => {
  // Both believe to own partition 1: leases never give exclusivity, the journal does.
  const a = await startHost('e')
  const b = await startHost('f')
  await until('an even share', () => holds(b) > 0 && holds(a) + holds(b) === 8)
  await Promise.all([a.actors.acquire([1]), b.actors.acquire([1])])
  // What is published before a subscription has reached the server is heard by nobody.
  await Promise.all([a.nats.bus.flush(), b.nats.bus.flush()])
  for (let i = 0; i < 50; i++) client.bus.publish('cmd.1.two-1', { type: 'add' })
  const journal = await client.journal('JOB')
  const count = async () =>
    ((await journal.last('job.0.two-1'))?.body as { state: Counter } | undefined)?.state.count ?? 0
  // Each host hears each command, so 100 are decided; none overwrites another.
  await until('all commands to be taken', async () => (await count()) === 100)
  let records = 0
  await journal.read(1, ({ subject }) => {
    if (subject === 'job.0.two-1') records++
  })
  assert.is(records, 100)
  for (const host of [a, b]) {
    await host.ownership.stop()
    await host.nats.close()
  }
})

test.run()

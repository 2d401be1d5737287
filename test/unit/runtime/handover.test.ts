import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { RequestTimeout } from '../../../src/ports/bus.ts'
import { type AcquiredClaim, Claims, checkpointKey } from '../../../src/runtime/claims.ts'
import { Ownership, type ResourceKind } from '../../../src/runtime/ownership.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { WatchedRegistry } from '../../fakes/edge/watched-registry.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'

/** Hosts that come and go: what one held is another's soon, from where it was. */
const Handover = suite('handover')

const NAMES = Array.from({ length: 12 }, (_, i) => `p.${i}`)

class Network {
  readonly bus = new JobBus()
  readonly clock = new ManualClock()
  readonly registry = new WatchedRegistry()

  async host(name: string, kind = 'job') {
    const { bus, clock, registry } = this
    const held = new Set<string>()
    const acquired: AcquiredClaim[] = []
    const own = {
      ...{ connected: true, isMute: false, hearsNoAnswer: false, reconnected: () => {} },
      ends: new Map<string, () => void>(),
      die: (): void => {
        own.isMute = true
        for (const end of own.ends.values()) end()
      },
    }
    const resource: ResourceKind = {
      ...{ kind, names: NAMES.map((each) => (kind === 'job' ? each : `${kind}.${each}`)) },
      acquire: async (claims) => {
        acquired.push(...claims)
        for (const claim of claims) held.add(claim.name)
      },
      release: async (names) => {
        for (const each of names) held.delete(each)
      },
      checkpoints: () => new Map([...held].map((each) => [each, 7])),
    }
    const hostBus = Object.assign(Object.create(bus) as JobBus, {
      publish: (subject: string, message: unknown) => {
        if (!own.isMute) bus.publish(subject, message)
      },
      request: (subject: string, message: unknown, timeoutMs: number) =>
        own.hearsNoAnswer
          ? Promise.reject(new RequestTimeout(subject, timeoutMs))
          : bus.request(subject, message, timeoutMs),
      subscribe: (...about: Parameters<JobBus['subscribe']>) => {
        const subscription = bus.subscribe(...about)
        own.ends.set(about[0], () => subscription.unsubscribe())
        return subscription
      },
      onConnection: (call: () => void) => {
        own.reconnected = call
      },
    })
    Object.defineProperty(hostBus, 'connected', { get: () => own.connected })
    const log = makeLog('test', 'silent')
    const common = { bus: hostBus, registry, clock, log }
    const ownership = new Ownership({ hostId: name, resources: [resource], ...common })
    await ownership.start()
    await rest()
    return { ownership, held, acquired, own }
  }
}

const size = (...hosts: readonly { readonly held: ReadonlySet<string> }[]) => {
  const all = hosts.flatMap(({ held }) => [...held])
  assert.is(new Set(all).size, all.length, 'none has two holders')
  return all.length
}

/** Two hosts that have shared the names for so long. */
async function shared(ms: number) {
  const network = new Network()
  const a = await network.host('a')
  const b = await network.host('b')
  await network.clock.advance(ms)
  return { network, a, b }
}

Handover('a second host gets its share, from where the first one was', async () => {
  const network = new Network()
  const a = await network.host('a')
  assert.is(size(a), 12)
  const b = await network.host('b')
  await network.clock.advance(1_000)
  assert.is(size(a, b), 12)
  assert.ok(a.held.size > 0 && b.held.size > 0)
  assert.ok(b.acquired.every(({ from, seized }) => from === 7 && !seized))
})

Handover('a host that leaves is replaced at once, without its silence', async () => {
  const { a, b } = await shared(1_000)
  const before = b.acquired.length
  await a.ownership.stop()
  await rest()
  assert.equal([a.held.size, b.held.size], [0, 12])
  assert.ok(b.acquired.slice(before).every(({ from, seized }) => from === 7 && !seized))
})

Handover('one that falls silent is replaced after three seconds, from its checkpoint', async () => {
  const { network, a, b } = await shared(5_000)
  const before = b.acquired.length
  a.own.isMute = true
  await network.clock.advance(2_500)
  assert.is(b.acquired.length, before)
  await network.clock.advance(1_500)
  assert.is(b.held.size, 12)
  const seized = b.acquired.slice(before)
  assert.ok(seized.every((claim) => claim.from === 7 && claim.seized))
  assert.is(a.held.size, 0, 'it lives, and lets go of what it has lost')
})

Handover('one that has died is replaced as soon as somebody misses it', async () => {
  const { network, a, b } = await shared(5_000)
  const before = b.acquired.length
  const [missed] = a.held
  a.own.die()
  await network.clock.advance(500)
  assert.is(b.acquired.length, before)
  network.bus.publish(SUBJECTS.orphan, { partition: Number(missed!.slice(2)) })
  await rest()
  assert.is(b.held.size, 12)
})

Handover('one that only seemed to have died has its share back once it is heard of', async () => {
  const { network, a, b } = await shared(5_000)
  const [missed] = a.held
  // It connects anew: for a moment nobody listens where it is asked.
  a.own.ends.get(SUBJECTS.host('a'))?.()
  network.bus.publish(SUBJECTS.orphan, { partition: Number(missed!.slice(2)) })
  await rest()
  assert.equal([a.held.size, b.held.size], [0, 12])
  await network.clock.advance(2_000)
  assert.is(size(a, b), 12)
  assert.ok(a.held.has(missed!))
})

Handover('a host that runs another kind holds none of this one', async () => {
  const network = new Network()
  const a = await network.host('a')
  const b = await network.host('b', 'lane')
  await network.clock.advance(2_000)
  assert.is(a.held.size, 12)
  assert.ok(b.held.size === 12 && !b.held.has(NAMES[0]!))
})

Handover('who lives is not replaced, whoever misses it', async () => {
  const { network, a, b } = await shared(5_000)
  const before = b.acquired.length
  for (const hearsNoAnswer of [false, true]) {
    b.own.hearsNoAnswer = hearsNoAnswer
    for (const each of a.held) {
      network.bus.publish(SUBJECTS.orphan, { partition: Number(each.slice(2)) })
    }
    await rest()
    assert.is(b.acquired.length, before)
  }
})

Handover('owners of an earlier life of the network are not waited for', async () => {
  const network = new Network()
  for (const each of NAMES) {
    await network.registry.set(`claim.${each}`, { host: 'earlier', from: 5 })
  }
  const a = await network.host('a')
  assert.is(a.held.size, 12)
  assert.ok(a.acquired.every(({ from, seized }) => from === 5 && seized))
})

Handover('nobody is given up by a host that stood still itself', async () => {
  const { network, a, b } = await shared(5_000)
  const before = [a.acquired.length, b.acquired.length]
  network.clock.standStill(20_000)
  await network.clock.advance(2_000)
  assert.equal([a.acquired.length, b.acquired.length], before)
})

Handover('nor by one that was cut off, until it has listened for as long again', async () => {
  const { network, a, b } = await shared(5_000)
  const before = b.acquired.length
  a.own.isMute = true
  b.own.connected = false
  await network.clock.advance(10_000)
  b.own.connected = true
  b.own.reconnected()
  await network.clock.advance(2_500)
  assert.is(b.acquired.length, before)
  await network.clock.advance(1_500)
  assert.is(b.held.size, 12)
})

Handover.run()

/** Two that claim a name at once. */
const Claiming = suite('claims')

Claiming('one gets it; the other learns whose it is, though nobody tells it', async () => {
  const registry = new MemoryRegistry()
  const [a, b] = [new Claims({ hostId: 'a', registry }), new Claims({ hostId: 'b', registry })]
  assert.equal(await a.take('p.1', new Map()), { name: 'p.1', from: 1, seized: false })
  assert.is(await b.take('p.1', new Map()), undefined)
  assert.is(b.of('p.1')?.host, 'a')
  await b.giveBack('p.1', 9)
  assert.is(a.of('p.1')?.host, 'a', 'it is not for b to give back')
  await a.giveBack('p.1', 9)
  assert.is(await b.take('p.1', new Map()), undefined, 'it was another claim that b knew')
  assert.equal(await b.take('p.1', new Map()), { name: 'p.1', from: 9, seized: false })
})

Claiming(
  'the next owner reads from the newer of what was left and where the last one began',
  async () => {
    const registry = new MemoryRegistry()
    const [a, b] = [new Claims({ hostId: 'a', registry }), new Claims({ hostId: 'b', registry })]
    await registry.set('claim.p.1', { host: '', from: 5 })
    await registry.set('claim.p.2', { host: '', from: 5 })
    await a.take('p.1', new Map())
    await a.take('p.2', new Map())
    await a.take('p.1', new Map())
    await a.take('p.2', new Map())
    await registry.set(checkpointKey('a'), { 'p.1': 8, 'p.2': 2 })
    await b.take('p.1', new Map())
    await b.take('p.2', new Map())
    const left = await b.checkpointsOf(['p.1', 'p.2'])
    assert.equal(await b.take('p.1', left), { name: 'p.1', from: 8, seized: true })
    assert.equal(await b.take('p.2', left), { name: 'p.2', from: 5, seized: true })
  },
)

Claiming(
  'given back without a checkpoint, the next owner reads from where this one did',
  async () => {
    const registry = new MemoryRegistry()
    await registry.set('claim.p.1', { host: '', from: 5 })
    const [a, b] = [new Claims({ hostId: 'a', registry }), new Claims({ hostId: 'b', registry })]
    await a.take('p.1', new Map())
    await a.take('p.1', new Map())
    await a.giveBack('p.1', undefined)
    await b.take('p.1', new Map())
    assert.equal(await b.take('p.1', new Map()), { name: 'p.1', from: 5, seized: false })
  },
)

Claiming('what is told late of a claim of before takes nothing away', async () => {
  const registry = new WatchedRegistry()
  const a = new Claims({ hostId: 'a', registry })
  let tell: Parameters<typeof registry.watch>[1] = () => {}
  registry.watch = async (_filter, each) => {
    tell = each
    return () => {}
  }
  await a.watch(() => {})
  const before = { host: '', from: 4 }
  await registry.set('claim.p.1', before)
  tell('claim.p.1', { value: before, revision: 1 })
  assert.ok(await a.take('p.1', new Map()))
  tell('claim.p.1', { value: before, revision: 1 })
  assert.is(a.of('p.1')?.host, 'a')
  tell('claim.p.1', { value: { host: 'b', from: 4 }, revision: 3 })
  assert.is(a.of('p.1')?.host, 'b', 'what is newer does')
})

Claiming.run()

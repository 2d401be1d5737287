import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Ownership, type ResourceKind } from '../../../src/runtime/ownership.ts'
import type { Claim } from '../../../src/runtime/placement.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { WatchedRegistry } from '../../fakes/edge/watched-registry.ts'

/** What the holders of names have left as their checkpoints, for any host to ask about. */
const Lowest = suite('lowest checkpoint')
const NAMES = ['a', 'b']

function host(registry: WatchedRegistry, clock: ManualClock, kind: string, left: () => number) {
  const resource: ResourceKind = {
    kind,
    names: NAMES,
    acquire: async () => {},
    release: async () => {},
    checkpoints: () =>
      new Map(NAMES.flatMap((name) => [[name, 3] as const, [`${name}.seen`, left()]])),
  }
  const log = makeLog('test', 'silent')
  return new Ownership({
    hostId: `host-${kind}`,
    resources: [resource],
    bus: new JobBus(),
    registry,
    clock,
    log,
  })
}

Lowest('nobody holds them: from the very beginning', async () => {
  const asker = host(new WatchedRegistry(), new ManualClock(), 'other', () => 0)
  assert.is(await asker.lowest(NAMES, 'seen'), 1)
})

Lowest('what was left, else where the holder began', async () => {
  const registry = new WatchedRegistry()
  const clock = new ManualClock()
  let left = 5
  await registry.set('claim.a', { host: '', from: 4 })
  await registry.set('claim.b', { host: '', from: 2 })
  const holder = host(registry, clock, 'holder', () => left)
  await holder.start()
  await rest()
  assert.ok(NAMES.every((name) => holder.holds(name)))
  assert.is(await holder.lowest(NAMES, 'seen'), 2)
  await clock.advance(1_000)
  assert.is(await holder.lowest(NAMES, 'seen'), 5)
  left = 9
  await clock.advance(1_000)
  assert.is(await holder.lowest(NAMES, 'seen'), 9)
  assert.is(await holder.lowest(['a'], 'unknown mark'), 4)
  await holder.stop()
})

Lowest.run()

/** The registry wrote, or did not, and its answer was lost. */
const Unanswered = suite('a claim whose answer is lost')

class DeafRegistry extends WatchedRegistry {
  /** Puts that are written but not answered, and that are not written. */
  lost: ('answer' | 'request')[] = []

  override async put(...args: Parameters<WatchedRegistry['put']>) {
    const lost = this.lost.shift()
    if (lost === 'request') throw new Error('TIMEOUT')
    const revision = await super.put(...args)
    if (lost === 'answer') throw new Error('TIMEOUT')
    return revision
  }
}

for (const lost of ['answer', 'request'] as const) {
  Unanswered(`taking, the ${lost} is lost: it is held soon after`, async () => {
    const registry = new DeafRegistry()
    const clock = new ManualClock()
    registry.lost = [lost]
    const taker = host(registry, clock, 'taker', () => 1)
    await taker.start()
    await rest()
    await clock.advance(1_000)
    assert.ok(NAMES.every((name) => taker.holds(name)))
    await taker.stop()
  })
}

Unanswered(
  'while nothing can be claimed, it is logged once in ten seconds, not by every name',
  async () => {
    const [registry, clock] = [new WatchedRegistry(), new ManualClock()]
    registry.put = () => Promise.reject(new Error('insufficient resources'))
    const lines: Record<string, unknown>[] = []
    const log = makeLog('test', 'warn', { write: (line) => lines.push(JSON.parse(line)) })
    const names = Array.from({ length: 64 }, (_, i) => `p.${i}`)
    const resource = { kind: 'job', names, acquire: async () => {}, release: async () => {} }
    const common = { bus: new JobBus(), registry, clock, log }
    const ownership = new Ownership({ hostId: 'host-a', resources: [resource], ...common })
    await ownership.start()
    await clock.advance(9_000)
    assert.equal(
      lines.map(({ msg }) => msg),
      ['ownership: claim not answered, trying again'],
    )
    await ownership.stop()
  },
)

Unanswered.run()

const Emptied = suite('a bucket that somebody has emptied while hosts live')

Emptied('what a dead host held is taken all the same, from where that one began', async () => {
  const registry = new WatchedRegistry()
  const clock = new ManualClock()
  for (const name of NAMES) await registry.set(`claim.${name}`, { host: 'host-dead', from: 7 })
  const watch = registry.watch.bind(registry)
  registry.watch = async (...asked) => {
    const unwatch = await watch(...asked)
    registry.purge()
    return unwatch
  }
  const taker = host(registry, clock, 'taker', () => 1)
  await taker.start()
  await clock.advance(5_000)
  assert.ok(NAMES.every((name) => taker.holds(name)))
  assert.equal((await registry.get('claim.a'))?.value, { host: 'host-taker', from: 7 })
  await taker.stop()
})

Emptied('what is given back can be taken by others, who knew of its claim', async () => {
  const registry = new WatchedRegistry()
  const clock = new ManualClock()
  const holder = host(registry, clock, 'holder', () => 1)
  await holder.start()
  await rest()
  registry.purge()
  await holder.stop()
  assert.equal((await registry.get('claim.a'))?.value, { host: '', from: 3 })
})

Emptied.run()

const Acquire = suite('a resource that cannot be acquired')

Acquire('is let go and taken again until it can; until then it is not held', async () => {
  const registry = new WatchedRegistry()
  const clock = new ManualClock()
  const calls: string[] = []
  let failing = true
  const resource: ResourceKind = {
    kind: 'watcher',
    names: ['watcher'],
    acquire: async () => {
      calls.push('acquire')
      if (failing) throw new Error('the store does not answer')
    },
    release: async () => {
      calls.push('release')
    },
  }
  const log = makeLog('test', 'silent')
  const common = { bus: new JobBus(), registry, clock, log }
  const ownership = new Ownership({ hostId: 'host-a', resources: [resource], ...common })
  await ownership.start()
  await rest()
  assert.equal(calls.slice(0, 2), ['acquire', 'release'])
  assert.not.ok(ownership.holds('watcher'))
  failing = false
  calls.length = 0
  await clock.advance(1_000)
  assert.equal(calls, ['acquire'])
  assert.ok(ownership.holds('watcher'))
  await ownership.stop()
})

Acquire.run()

const Leaving = suite('a host that leaves while nothing is answered')

for (const connected of [false, true]) {
  Leaving(`lets go of all that it holds, and ends; connected: ${connected}`, async () => {
    const registry = new DeafRegistry()
    const clock = new ManualClock()
    const released: string[] = []
    const resource: ResourceKind = {
      kind: 'watcher',
      names: NAMES,
      acquire: async () => {},
      release: async (names) => void released.push(...names),
    }
    const bus = new JobBus()
    const common = { bus, registry, clock, log: makeLog('test', 'silent') }
    const ownership = new Ownership({ hostId: 'host-a', resources: [resource], ...common })
    await ownership.start()
    await rest()
    bus.connected = connected
    let asked = 0
    const unanswered = () => {
      asked++
      return Promise.reject(new Error('TIMEOUT'))
    }
    registry.put = unanswered
    registry.delete = unanswered
    await ownership.stop()
    assert.equal(released, NAMES)
    // Where the bus is away it would wait for each.
    assert.is(asked > 0, connected)
  })
}

Leaving.run()

/** One watcher, two hosts: whatever takes its time, there is one at work. */
const Single = suite('one at a time')

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

function watcherHost(registry: WatchedRegistry, hostId = 'host-a') {
  const calls: string[] = []
  const slow = { acquire: Promise.resolve(), release: Promise.resolve() }
  const resource: ResourceKind = {
    kind: 'watcher',
    names: ['watcher'],
    acquire: async () => {
      calls.push('acquire')
      await slow.acquire
      calls.push('runs')
    },
    release: async () => {
      calls.push('release')
      await slow.release
      calls.push('ended')
    },
  }
  const common = { bus: new JobBus(), registry, clock: new ManualClock() }
  const options = { ...common, hostId, resources: [resource], log: makeLog('test', 'silent') }
  const claimedBy = async () => ((await registry.get('claim.watcher'))?.value as Claim)?.host
  return { ownership: new Ownership(options), calls, slow, claimedBy }
}

Single('what another host claimed first is not begun', async () => {
  const registry = new WatchedRegistry()
  const put = registry.put.bind(registry)
  registry.put = async (key, value, revision) => {
    if (key !== 'claim.watcher') return put(key, value, revision)
    registry.put = put
    await registry.set(key, { host: 'quicker', from: 1 })
    return 'conflict'
  }
  const { ownership, calls } = watcherHost(registry)
  await ownership.start()
  await rest()
  assert.equal(calls, [])
  assert.not.ok(ownership.holds('watcher'))
  await ownership.stop()
})

Single('while it does not come to run, nobody is told that it does', async () => {
  const { ownership, calls, slow } = watcherHost(new WatchedRegistry())
  const { open, opened } = gate()
  slow.acquire = opened
  await ownership.start()
  await rest()
  assert.equal(calls, ['acquire'])
  assert.not.ok(ownership.holds('watcher'))
  open()
  await rest()
  assert.ok(ownership.holds('watcher'))
  await ownership.stop()
  assert.not.ok(ownership.holds('watcher'))
})

Single('it is given back once it has ended, not before', async () => {
  const { ownership, calls, slow, claimedBy } = watcherHost(new WatchedRegistry())
  await ownership.start()
  await rest()
  const { open, opened } = gate()
  slow.release = opened
  const stopped = ownership.stop()
  await rest()
  assert.equal(calls, ['acquire', 'runs', 'release'])
  assert.is(await claimedBy(), 'host-a')
  open()
  await stopped
  assert.is(await claimedBy(), '')
})

Single('a host that leaves while it begins lets it begin, and then ends it', async () => {
  const { ownership, calls, slow, claimedBy } = watcherHost(new WatchedRegistry())
  const { open, opened } = gate()
  slow.acquire = opened
  await ownership.start()
  await rest()
  const stopped = ownership.stop()
  await rest()
  open()
  await stopped
  await rest()
  assert.equal(calls, ['acquire', 'runs', 'release', 'ended'])
  assert.is(await claimedBy(), '')
})

Single.run()

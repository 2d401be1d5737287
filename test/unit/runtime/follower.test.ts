import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ActorHost } from '../../../src/runtime/actor-host.ts'
import type { Follower } from '../../../src/runtime/follower.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { type Command, runningKind, type State } from './running-kind.ts'

/** A host whose states are copied elsewhere, which may die before they are. */
const Followed = suite('follower')

const kind = { ...runningKind, creates: (command: Command) => command === 'begin' }

/** Copies nothing until it is told to. */
class LazyFollower implements Follower<State> {
  readonly pending = new Map<string, { sequence: number; state: State }>()
  readonly copy = new Map<string, { sequence: number; state: State }>()

  changed(id: string, sequence: number, state: State): void {
    this.pending.set(id, { sequence, state })
  }

  get oldestPending(): number {
    return Math.min(...[...this.pending.values()].map(({ sequence }) => sequence))
  }

  write(): void {
    for (const [id, each] of this.pending) this.copy.set(id, each)
    this.pending.clear()
  }
}

/** Its readers and writers are held until the test lets them go. */
class SlowJournal extends MemoryJournal {
  held: Promise<void> = Promise.resolve()
  appended: Promise<void> = Promise.resolve()

  override async read(...args: Parameters<MemoryJournal['read']>): Promise<void> {
    await this.held
    await super.read(...args)
  }

  override async append(...args: Parameters<MemoryJournal['append']>) {
    const sequence = await super.append(...args)
    await this.appended
    return sequence
  }
}

function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

function makeHost(journal: MemoryJournal, name: string, answerAfter?: () => Promise<void>) {
  const bus = new JobBus()
  const follower = new LazyFollower()
  let appends = 0
  const host = new ActorHost({
    kind,
    bus,
    journal,
    follower,
    ...(answerAfter && { answerAfter }),
    clock: new ManualClock(),
    log: makeLog('test', 'silent'),
    token: () => `${name}.${++appends}`,
    commandSubject: (partition) => `cmd.${partition}.*`,
    actorOf: (subject) => subject.slice(subject.lastIndexOf('.') + 1),
    partitionOf: () => 0,
  })
  const tell = (command: Command, id = 'a') => bus.request<string>(`cmd.0.${id}`, command, 1_000)
  return { host, follower, tell }
}

async function takeOver(host: ReturnType<typeof makeHost>['host'], from: number): Promise<void> {
  await host.acquire([0])
  await host.rehydrate([0], from)
}

Followed('no checkpoint passes what is not copied, even of an actor at rest', async () => {
  const { host, follower, tell } = makeHost(new MemoryJournal(), 'only')
  await takeOver(host, 1)
  await tell('begin')
  await tell('finish')
  assert.is(host.size, 0)
  assert.is(host.checkpoints().get(0), 2, 'its last record')
  assert.is(host.copied().get(0), 2)
  follower.write()
  assert.is(host.checkpoints().get(0), 3)
  assert.is(host.copied().get(0), 3)
})

Followed('what lives and is copied bounds the checkpoint, not what is copied', async () => {
  const { host, follower, tell } = makeHost(new MemoryJournal(), 'only')
  await takeOver(host, 1)
  await tell('begin', 'a')
  await tell('begin', 'b')
  await tell('finish', 'b')
  follower.write()
  assert.is(host.checkpoints().get(0), 1)
  assert.is(host.copied().get(0), 4)
})

Followed('an append that is on its way is not counted as copied', async () => {
  const journal = new SlowJournal()
  const { host, follower, tell } = makeHost(journal, 'only')
  await takeOver(host, 1)
  await tell('begin', 'a')
  follower.write()
  const slow = gate()
  journal.appended = slow.opened
  const finished = tell('finish', 'a') // sequence 2, and not heard of yet
  await rest()
  journal.appended = Promise.resolve()
  await tell('begin', 'b') // sequence 3
  follower.write()
  assert.is(host.copied().get(0), 1)
  slow.open()
  await finished
  follower.write()
  assert.is(host.copied().get(0), 4)
})

Followed(
  'nor does a checkpoint pass the first one of an actor, while it is on its way',
  async () => {
    const journal = new SlowJournal()
    const { host, follower, tell } = makeHost(journal, 'only')
    await takeOver(host, 1)
    const slow = gate()
    journal.appended = slow.opened
    const begun = tell('begin', 'a') // sequence 1, and not heard of yet
    await rest()
    journal.appended = Promise.resolve()
    await tell('begin', 'b')
    follower.write()
    assert.equal([host.copied().get(0), host.checkpoints().get(0)], [1, 1])
    slow.open()
    await begun
  },
)

Followed('killed between append and copy: the next owner is told of it', async () => {
  const journal = new MemoryJournal()
  const first = makeHost(journal, 'first')
  await takeOver(first.host, 1)
  await first.tell('begin', 'a')
  await first.tell('begin', 'b')
  first.follower.write()
  await first.tell('finish', 'a')
  const from = first.host.checkpoints().get(0)!
  // It is gone: nothing of it is copied any more.
  const second = makeHost(journal, 'second')
  await takeOver(second.host, from)
  second.follower.write()
  assert.equal(second.follower.copy.get('a'), { sequence: 3, state: 'done' })
})

Followed('killed while it reads what it took over: the next owner reads it too', async () => {
  const journal = new SlowJournal()
  const first = makeHost(journal, 'first')
  await takeOver(first.host, 1)
  await first.tell('begin')
  const slow = gate()
  journal.held = slow.opened
  const second = makeHost(journal, 'second')
  const acquired = takeOver(second.host, 1)
  await rest()
  assert.is(second.host.checkpoints().get(0), 1)
  slow.open()
  await acquired
  assert.is(second.host.checkpoints().get(0), 1, 'it lives')
  assert.is(second.host.size, 1)
})

Followed('hold: a checkpoint stays until all who hold it have let go', async () => {
  const { host, follower, tell } = makeHost(new MemoryJournal(), 'only')
  await takeOver(host, 1)
  const letGo = host.hold([0], 1)
  const other = host.hold([1], 1)
  await tell('begin')
  await tell('finish')
  follower.write()
  assert.is(host.checkpoints().get(0), 1)
  letGo()
  assert.is(host.checkpoints().get(0), 3)
  other()
})

Followed('an answer waits for what it was told to', async () => {
  const slow = gate()
  const { host, tell } = makeHost(new MemoryJournal(), 'only', () => slow.opened)
  await takeOver(host, 1)
  let heard = false
  const answer = tell('get').then((reply) => {
    heard = true
    return reply
  })
  await rest()
  assert.is(heard, false)
  slow.open()
  assert.is(await answer, 'unknown')
})

Followed.run()

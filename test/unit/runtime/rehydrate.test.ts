import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { StoredRecord } from '../../../src/ports/journal.ts'
import { ActorHost } from '../../../src/runtime/actor-host.ts'
import type { Follower } from '../../../src/runtime/follower.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { type Command, runningKind, type State } from './running-kind.ts'

/** A host that reads the journal while actors of it are already at work. */
const Rehydrate = suite('rehydrate')

/** Its readers are held before what they were promised, or between the last record and the end of the reading. */
class SlowJournal extends MemoryJournal {
  begun: Promise<void> = Promise.resolve()
  ended: Promise<void> = Promise.resolve()

  override async read(from: number, each: (record: StoredRecord) => void): Promise<void> {
    const records: StoredRecord[] = []
    await super.read(from, (record) => records.push(record))
    await this.begun
    for (const record of records) each(record)
    await this.ended
  }
}

function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** What lives, by what it is told; as a meter of jobs would have it. */
class Living implements Follower<State> {
  readonly oldestPending = Number.POSITIVE_INFINITY
  readonly ids = new Set<string>()

  changed(id: string, _sequence: number, state: State): void {
    if (state === 'done') this.ids.delete(id)
    else this.ids.add(id)
  }
}

function makeHost(journal: MemoryJournal, name: string, kind = runningKind) {
  const bus = new JobBus()
  const living = new Living()
  let appends = 0
  const host = new ActorHost({
    kind,
    bus,
    journal,
    follower: living,
    clock: new ManualClock(),
    log: makeLog('test', 'silent'),
    token: () => `${name}.${++appends}`,
    commandSubject: (partition) => `cmd.${partition}.*`,
    actorOf: (subject) => subject.slice(subject.lastIndexOf('.') + 1),
    partitionOf: (id) => {
      if (id.length > 1) throw new Error(`no id: ${id}`)
      return 0
    },
  })
  const tell = (command: Command, id = 'a') => bus.request<string>(`cmd.0.${id}`, command, 1_000)
  const acquire = async () => {
    await host.acquire([0])
    await host.rehydrate([0], 1)
  }
  return { host, living, tell, acquire }
}

Rehydrate('what an actor has done since the reading is not undone by it', async () => {
  const journal = new SlowJournal()
  const first = makeHost(journal, 'first')
  await first.acquire()
  assert.is(await first.tell('begin'), 'running')
  await first.host.release([0])

  const { open: end, opened } = gate()
  journal.ended = opened
  const second = makeHost(journal, 'second')
  const acquired = second.acquire()
  await rest()
  assert.is(await second.tell('finish'), 'done')
  end()
  await acquired
  assert.is(await second.tell('get'), 'done')
  assert.is(second.host.size, 0, 'it rests')
})

Rehydrate('nor is it set back by an older record of its own, while it goes on', async () => {
  const journal = new MemoryJournal()
  const { host, tell, acquire } = makeHost(journal, 'only')
  await acquire()
  await tell('begin')
  const { body } = journal.records[0]!
  await journal.append('job.0.a', 1, { token: 'other.1', body: { state: 'done', events: [] } })
  await journal.append('job.0.a', 2, { token: 'other.2', body })
  await host.rehydrate([0], 1)
  assert.is(await tell('get'), 'running')
  // The next reading is of a server that lags: it ends before what this host has seen.
  journal.records.length = 2
  await host.rehydrate([0], 1)
  assert.is(await tell('get'), 'running', 'what is older says nothing')
})

for (const held of ['begun', 'ended'] as const) {
  Rehydrate(`what has come to rest and was forgotten since is not run again: ${held}`, async () => {
    const journal = new SlowJournal()
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const first = makeHost(journal, 'first')
    await first.acquire()
    for (const id of ids) await first.tell('begin', id)
    await first.host.release([0])

    const reading = gate()
    journal[held] = reading.opened
    const second = makeHost(journal, 'second')
    const acquired = second.acquire()
    await rest()
    // More than a host keeps at rest.
    for (const id of ids) assert.is(await second.tell('finish', id), 'done')
    reading.open()
    await acquired
    assert.is(second.host.size, 0)
    assert.equal([...second.living.ids], [])
    assert.is(second.host.checkpoints().get(0), 13)
  })
}

Rehydrate(
  'who asks while the journal is read shares the next reading, from the lowest place',
  async () => {
    const journal = new SlowJournal()
    const body = { state: 'done', events: [] }
    for (let n = 0; n < 9; n++) await journal.append('job.0.z', n, { token: 'before.1', body })
    const begun: number[] = []
    const read = journal.read.bind(journal)
    journal.read = (from, each) => {
      begun.push(from)
      return read(from, each)
    }
    const reading = gate()
    journal.begun = reading.opened
    const { host } = makeHost(journal, 'only')
    await host.acquire([0])
    const first = host.rehydrate([0], 7)
    await rest()
    const asked = [first, ...[5, 2, 9].map((from) => host.rehydrate([0], from))]
    await rest()
    assert.equal(begun, [7], 'one at a time')
    reading.open()
    await Promise.all(asked)
    assert.equal(begun, [7, 2])
  },
)

Rehydrate('what is read of a partition once it was given up lives elsewhere', async () => {
  const journal = new SlowJournal()
  const first = makeHost(journal, 'first')
  await first.acquire()
  await first.tell('begin')
  await first.host.release([0])

  const reading = gate()
  journal.begun = reading.opened
  const passing = makeHost(journal, 'passing')
  const acquired = passing.acquire()
  await rest()
  await passing.host.release([0])
  reading.open()
  await acquired
  assert.is(passing.host.size, 0)
  assert.equal([...passing.living.ids], [])
})

Rehydrate('what another owner woke is read, though it had come to rest here', async () => {
  const journal = new MemoryJournal()
  const { host, living, tell, acquire } = makeHost(journal, 'only')
  await acquire()
  await tell('begin')
  await tell('finish')
  const record = { token: 'other.1', body: { state: 'running', events: [] } }
  await journal.append('job.0.a', 2, record)
  await host.rehydrate([0], 1)
  assert.is(host.size, 1)
  assert.equal([...living.ids], ['a'])
})

Rehydrate('a record that this version cannot read keeps no other from being run', async () => {
  const journal = new MemoryJournal()
  const newer = { token: 'newer.1', body: { state: 'paused', events: [] } }
  await journal.append('job.0.a', 0, newer)
  await journal.append('job.0.stray', 0, newer)
  const before = makeHost(journal, 'before')
  await before.acquire()
  await before.tell('begin', 'b')
  await before.host.release([0])

  const read =
    <T>(what: (state: State) => T) =>
    (state: State) => {
      if (state !== 'running' && state !== 'done') throw new Error(`unreachable: ${state}`)
      return what(state)
    }
  const kind = { ...runningKind, due: read(runningKind.due), rests: read(runningKind.rests) }
  const { host, tell, acquire } = makeHost(journal, 'older', kind)
  await acquire()
  assert.is(host.size, 2)
  assert.is(await tell('finish', 'b'), 'done')
  assert.is(host.size, 1)
  assert.is(host.checkpoints().get(0), 1, 'it is left to a version that can')
})

Rehydrate('what an owner that was only slow wrote is found by a second reading', async () => {
  const journal = new MemoryJournal()
  const slow = makeHost(journal, 'slow')
  await slow.acquire()
  await slow.tell('begin')
  const next = makeHost(journal, 'next')
  await next.acquire()
  assert.is(await slow.tell('finish'), 'done')
  assert.is(await next.tell('get'), 'running', 'it cannot know yet')
  await next.host.rehydrate([0], 1)
  assert.is(await next.tell('get'), 'done')
  assert.is(next.host.size, 0)
})

Rehydrate('what speaks of more than an owner has read is answered from the journal', async () => {
  const journal = new MemoryJournal()
  const slow = makeHost(journal, 'slow')
  await slow.acquire()
  const next = makeHost(journal, 'next')
  await next.acquire()
  assert.is(await next.tell('get'), 'unknown')
  await slow.tell('begin')
  assert.is(await next.tell('finish'), 'done')
  assert.is(await slow.tell('finish'), 'done')
})

Rehydrate(
  'what the journal does not know either is answered as it is, after one look',
  async () => {
    const journal = new MemoryJournal()
    let looks = 0
    const { tell, acquire } = makeHost(
      Object.assign(journal, {
        last: (subject: string) => {
          looks++
          return MemoryJournal.prototype.last.call(journal, subject)
        },
      }),
      'only',
    )
    await acquire()
    assert.is(await tell('finish'), 'unknown')
    assert.is(looks, 1)
  },
)

Rehydrate('an actor that has come to rest is forgotten, and bounds no reading', async () => {
  const journal = new MemoryJournal()
  const { host, tell, acquire } = makeHost(journal, 'only')
  await acquire()
  await tell('begin')
  assert.is(host.size, 1)
  assert.is(host.checkpoints().get(0), 1)
  await tell('finish')
  assert.is(host.size, 0)
  assert.is(host.checkpoints().get(0), 3)
})

Rehydrate(
  'where the journal has lost its end, what was written since is found all the same',
  async () => {
    const journal = new MemoryJournal()
    const before = makeHost(journal, 'before')
    await before.acquire()
    for (const id of ['a', 'b']) await before.tell('begin', id)
    const { host, living } = makeHost(journal, 'owner')
    await host.acquire([0])
    const newest = journal.records.length
    for (const [checkpoint, found] of [
      [newest + 1, 0],
      [newest + 2, 2],
    ] as const) {
      await host.rehydrate([0], checkpoint)
      assert.is(living.ids.size, found)
    }
  },
)

Rehydrate.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NoResponders, RequestTimeout } from '../../../src/ports/bus.ts'
import { ActorHost } from '../../../src/runtime/actor-host.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { type Command, runningKind } from './running-kind.ts'

/** A host that gives a partition up while a command waits for the journal. */
const GivenUp = suite('given up')

class HeldJournal extends MemoryJournal {
  answered: Promise<void> = Promise.resolve()

  override async last(subject: string) {
    await this.answered
    return super.last(subject)
  }
  override async append(...about: Parameters<MemoryJournal['append']>) {
    await this.answered
    return super.append(...about)
  }
  hold(): () => void {
    let letGo = () => {}
    this.answered = new Promise((resolve) => {
      letGo = resolve
    })
    return letGo
  }
}

function makeHost(journal: MemoryJournal, name: string) {
  const [bus, clock] = [new JobBus(), new ManualClock()]
  const ran: string[] = []
  let appends = 0
  const host = new ActorHost({
    kind: {
      ...runningKind,
      due: (state) => (state === 'running' ? [{ key: 'ask', everyMs: 1_000 }] : []),
      run: async ({ key }) => void ran.push(key),
    },
    ...{ bus, journal, clock, log: makeLog('test', 'silent') },
    token: () => `${name}.${++appends}`,
    commandSubject: (partition) => `cmd.${partition}.*`,
    actorOf: (subject) => subject.slice(subject.lastIndexOf('.') + 1),
    partitionOf: () => 0,
  })
  const tell = (command: Command) => bus.request<string>('cmd.0.a', command, 1_000)
  return { host, clock, ran, tell }
}

GivenUp('what was under way here ends', async () => {
  const { host, clock, ran, tell } = makeHost(new HeldJournal(), 'owner')
  await host.acquire([0])
  await tell('begin')
  await clock.advance(2_000)
  assert.ok(ran.length >= 2)
  await host.release([0])
  ran.length = 0
  await clock.advance(10_000)
  assert.equal(ran, [])
  const unheard = await tell('get').catch((error: unknown) => error)
  assert.instance(unheard, NoResponders, 'who asks here learns at once that nobody listens')
})

GivenUp('so does what the journal has lost, where nobody would ever end it', async () => {
  const journal = new HeldJournal()
  const { host, clock, tell } = makeHost(journal, 'owner')
  await host.acquire([0])
  await tell('begin')
  journal.records.length = 0
  assert.is(await tell('finish'), 'unknown')
  assert.is(host.size, 0)
  let waits = 0
  const after = clock.after.bind(clock)
  clock.after = (...about) => {
    waits++
    return after(...about)
  }
  await clock.advance(10_000)
  assert.is(waits, 0)
})

GivenUp('it is not over before what is being written is in the journal', async () => {
  const journal = new HeldJournal()
  const { host, tell } = makeHost(journal, 'owner')
  await host.acquire([0])
  assert.is(await tell('get'), 'unknown')
  const letGo = journal.hold()
  void tell('begin').catch(() => {})
  await rest()
  let isReleased = false
  const released = host.release([0]).then(() => {
    isReleased = true
  })
  await rest()
  assert.not.ok(isReleased)
  letGo()
  await released
  assert.is(journal.records.length, 1)
})

GivenUp('what a command reads of the journal then starts no effect here', async () => {
  const journal = new HeldJournal()
  const owner = makeHost(journal, 'owner')
  await owner.host.acquire([0])
  await owner.tell('begin')

  const passing = makeHost(journal, 'passing')
  await passing.host.acquire([0])
  const letGo = journal.hold()
  void passing.tell('get').catch(() => {})
  await rest()
  const released = passing.host.release([0])
  letGo()
  await released
  await passing.clock.advance(10_000)
  await rest()
  assert.equal(passing.ran, [])
})

GivenUp('nor what another owner was found to have written first', async () => {
  const journal = new HeldJournal()
  const slow = makeHost(journal, 'slow')
  await slow.host.acquire([0])
  assert.is(await slow.tell('get'), 'unknown')
  const next = makeHost(journal, 'next')
  await next.host.acquire([0])
  await next.tell('begin')

  const letGo = journal.hold()
  void slow.tell('begin').catch(() => {})
  await rest()
  const released = slow.host.release([0])
  letGo()
  await released
  await slow.clock.advance(10_000)
  await rest()
  assert.equal(slow.ran, [])
})

GivenUp('the next owner runs what is due, though nobody says a word to it', async () => {
  const journal = new HeldJournal()
  const owner = makeHost(journal, 'owner')
  await owner.host.acquire([0])
  await owner.tell('begin')
  await owner.host.release([0])
  const next = makeHost(journal, 'next')
  await next.host.acquire([0])
  await next.host.rehydrate([0], 1)
  await next.clock.advance(2_000)
  assert.ok(next.ran.length >= 2)
})

GivenUp('commands that were waiting are left to the next owner', async () => {
  const journal = new HeldJournal()
  const { host, tell } = makeHost(journal, 'owner')
  await host.acquire([0])
  await tell('begin')
  const letGo = journal.hold()
  void tell('finish').catch(() => {})
  await rest()
  const answer = tell('get').catch((error: unknown) => error)
  await rest()
  const released = host.release([0])
  letGo()
  await released
  assert.is(journal.records.length, 2, 'what was being written is')
  assert.instance(await answer, RequestTimeout, 'it may be out of date here')
})

GivenUp.run()

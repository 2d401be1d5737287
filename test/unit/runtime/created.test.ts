import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestTimeout } from '../../../src/ports/bus.ts'
import type { Journal } from '../../../src/ports/journal.ts'
import { ActorHost } from '../../../src/runtime/actor-host.ts'
import { type Admission, refuse } from '../../../src/runtime/kind.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { type Command, runningKind } from './running-kind.ts'

/** Commands that make an actor: written unread, if they are admitted, and once whoever writes first. */
const Created = suite('created')

async function makeHost(journal: MemoryJournal, name: string) {
  const bus = new JobBus()
  const begun: Command[] = []
  const world = { looks: 0, admits: async (): Promise<Admission> => true }
  let appends = 0
  const looking: Journal = {
    append: (...about) => journal.append(...about),
    read: (...about) => journal.read(...about),
    lastSequence: () => journal.lastSequence(),
    last: (subject) => {
      world.looks++
      return journal.last(subject)
    },
  }
  const host = new ActorHost({
    kind: {
      ...runningKind,
      creates: (command) => command === 'begin',
      admits: () => world.admits(),
      begun: (command) => void begun.push(command),
      reply: (state, decision) =>
        decision.type === 'refuse' ? decision.reason : (state ?? 'unknown'),
    },
    ...{ bus, clock: new ManualClock(), log: makeLog('test', 'silent') },
    journal: looking,
    token: () => `${name}.${++appends}`,
    commandSubject: (partition) => `cmd.${partition}.*`,
    actorOf: (subject) => subject.slice(subject.lastIndexOf('.') + 1),
    partitionOf: () => 0,
  })
  await host.acquire([0])
  const tell = (command: Command) => bus.request<string>('cmd.0.a', command, 200)
  return { tell, begun, world }
}

Created('at once, without a look into the journal; said again, it is the same', async () => {
  const journal = new MemoryJournal()
  const { tell, begun, world } = await makeHost(journal, 'owner')
  assert.is(await tell('begin'), 'running')
  assert.is(await tell('begin'), 'running')
  assert.is(world.looks, 0)
  assert.is(await tell('finish'), 'done')
  assert.equal([begun, journal.records.length], [['begin'], 2])
})

Created('what another owner has begun is answered as it is, and not begun here', async () => {
  const journal = new MemoryJournal()
  const before = await makeHost(journal, 'before')
  await before.tell('begin')
  await before.tell('finish')
  const { tell, begun } = await makeHost(journal, 'owner')
  assert.is(await tell('begin'), 'done')
  assert.equal([begun, journal.records.length], [[], 2])
})

Created('what is not admitted is refused and written nowhere', async () => {
  const journal = new MemoryJournal()
  const { tell, begun, world } = await makeHost(journal, 'owner')
  world.admits = async () => refuse('not_admitted')
  assert.is(await tell('begin'), 'not_admitted')
  assert.is(await tell('get'), 'unknown', 'others are not asked about')
  assert.equal([begun, journal.records.length], [[], 0])
  world.admits = async () => true
  assert.is(await tell('begin'), 'running')
})

Created('unless another owner had admitted it: then it is answered as that one would', async () => {
  const journal = new MemoryJournal()
  const before = await makeHost(journal, 'before')
  await before.tell('begin')
  const { tell, world } = await makeHost(journal, 'owner')
  world.admits = async () => refuse('not_admitted')
  assert.is(await tell('begin'), 'running')
  assert.is(await tell('begin'), 'running', 'it is known by now')
  assert.is(journal.records.length, 1)
})

Created(
  'where nobody knows whether it may, it is not answered, and may be said again',
  async () => {
    const journal = new MemoryJournal()
    const { tell, world } = await makeHost(journal, 'owner')
    world.admits = () => Promise.reject(new Error('the store is away'))
    assert.instance(await tell('begin').catch((error: unknown) => error), RequestTimeout)
    assert.is(journal.records.length, 0)
    world.admits = async () => true
    assert.is(await tell('begin'), 'running')
  },
)

Created.run()

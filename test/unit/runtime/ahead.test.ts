import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestTimeout } from '../../../src/ports/bus.ts'
import { ActorHost } from '../../../src/runtime/actor-host.ts'
import { early } from '../../../src/runtime/kind.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { type Command, runningKind } from './running-kind.ts'

/** Effects that need not wait for the record that makes them due. */
const Ahead = suite('ahead of the record')

/** Holds each append, or lets it fail. */
class SlowJournal extends MemoryJournal {
  #held: (() => void)[] = []
  #isHolding = false
  fails = false

  hold(): void {
    this.#isHolding = true
  }
  letGo(): void {
    this.#isHolding = false
    for (const go of this.#held.splice(0)) go()
  }
  override async append(...about: Parameters<MemoryJournal['append']>) {
    if (this.#isHolding) await new Promise<void>((go) => this.#held.push(go))
    if (this.fails) throw new Error('the journal is away')
    return super.append(...about)
  }
}

async function makeHost(journal: MemoryJournal, name: string) {
  const [bus, clock] = [new JobBus(), new ManualClock()]
  const ran: string[] = []
  let appends = 0
  const effects = [{ key: 'ahead' }, { key: 'after' }]
  const host = new ActorHost({
    kind: {
      ...runningKind,
      due: (state) => (state === 'done' ? effects : []),
      dueAhead: (_before, after) => (after === 'done' ? effects.slice(0, 1) : []),
      run: async ({ key }, state) => void ran.push(`${key} ${state}`),
    },
    ...{ bus, journal, clock, log: makeLog('test', 'silent') },
    token: () => `${name}.${++appends}`,
    commandSubject: (partition) => `cmd.${partition}.*`,
    actorOf: (subject) => subject.slice(subject.lastIndexOf('.') + 1),
    partitionOf: () => 0,
  })
  await host.acquire([0])
  const tell = (command: Command) => bus.request<string>('cmd.0.a', command, 200)
  return { ran, tell }
}

Ahead('they start while it is written, with the state that it will have', async () => {
  const journal = new SlowJournal()
  const { ran, tell } = await makeHost(journal, 'host')
  await tell('begin')
  journal.hold()
  const told = tell('finish')
  await rest()
  assert.equal(ran, ['ahead done'])
  journal.letGo()
  assert.is(await told, 'done')
  await rest()
  assert.equal(ran, ['ahead done', 'after done'], 'each once')
})

Ahead('where it could not be written, they start again with the one that is', async () => {
  const journal = new SlowJournal()
  const { ran, tell } = await makeHost(journal, 'host')
  await tell('begin')
  journal.fails = true
  await tell('finish').catch((error) => assert.instance(error, RequestTimeout))
  assert.equal(ran, ['ahead done'])
  journal.fails = false
  assert.is(await tell('finish'), 'done')
  await rest()
  assert.equal(ran, ['ahead done', 'ahead done', 'after done'])
})

Ahead('a command that comes too early is not answered, and is no fault', async () => {
  const [bus, faults] = [new JobBus(), [] as unknown[]]
  const log = { ...makeLog('test', 'silent'), error: (...said: unknown[]) => faults.push(said) }
  const host = new ActorHost({
    kind: { ...runningKind, decide: () => early },
    ...{ bus, journal: new MemoryJournal(), clock: new ManualClock(), log: log as never },
    token: () => 'host.1',
    commandSubject: (partition) => `cmd.${partition}.*`,
    actorOf: (subject) => subject.slice(subject.lastIndexOf('.') + 1),
    partitionOf: () => 0,
  })
  await host.acquire([0])
  const answer = await bus.request('cmd.0.a', 'get', 100).catch((error: unknown) => error)
  assert.instance(answer, RequestTimeout)
  assert.equal(faults, [])
})

Ahead.run()

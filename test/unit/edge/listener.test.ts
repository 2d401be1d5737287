import { PassThrough } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import { Listener } from '../../../src/edge/events/listener.ts'
import { makeListeners } from '../../../src/edge/events/listeners.ts'
import { pause } from '../../../src/ports/clock.ts'
import type { FactCursor, StoredFact } from '../../../src/ports/fact-reader.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { CuttableBus } from '../../fakes/edge/cuttable-bus.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'

/** A listener has one of the few places of its wallet until its run ends. */
const Listening = suite('edge: one who listens')

const nothingNew: FactCursor = { next: async () => undefined, position: 7 }

const log = makeLog('test', 'silent')

const makeListener = (response: PassThrough, clock: ManualClock, cursor = nothingNew) =>
  new Listener({
    ...{ response, cursor, types: new Set(), checkKey: async () => {} },
    ...{ clock, log, docsUrl: 'http://127.0.0.1/docs' },
  })

function begin(response: PassThrough, clock: ManualClock) {
  const run = { hasEnded: false }
  void makeListener(response, clock)
    .run()
    .then(() => {
      run.hasEnded = true
    })
  return run
}

Listening('ends when its reader goes', async () => {
  const [response, clock] = [new PassThrough(), new ManualClock()]
  const run = begin(response, clock)
  await clock.advance(5_000)
  assert.not.ok(run.hasEnded)
  response.destroy()
  await rest()
  assert.ok(run.hasEnded)
})

Listening('ends at once where its reader had gone before it began', async () => {
  const [response, clock] = [new PassThrough(), new ManualClock()]
  response.destroy()
  await rest()
  const run = begin(response, clock)
  await clock.advance(5_000)
  assert.ok(run.hasEnded)
})

Listening('ends at once where its edge has ended all meanwhile', async () => {
  const [response, clock, bus] = [new PassThrough(), new ManualClock(), new CuttableBus()]
  const listeners = makeListeners({ listeners: new MemoryRegistry(), bus, clock, log })
  listeners.stop()
  await listeners.run(toAddress(`0x${'11'.repeat(20)}`), makeListener(response, clock))
  assert.ok(response.writableEnded)
})

Listening('is announced anew as soon as its edge hears the house again', async () => {
  const [response, clock, bus] = [new PassThrough(), new ManualClock(), new CuttableBus()]
  const registry = new MemoryRegistry()
  const listeners = makeListeners({ listeners: registry, bus, clock, log })
  const wallet = toAddress(`0x${'11'.repeat(20)}`)
  const run = listeners.run(wallet, makeListener(response, clock))
  bus.setConnected(false)
  assert.is(await registry.get(wallet), undefined)
  bus.setConnected(true)
  await rest()
  assert.ok(await registry.get(wallet))
  listeners.stop()
  await run
})

Listening(
  'is told how far it has come while it is led through what it did not ask for',
  async () => {
    const [response, clock] = [new PassThrough(), new ManualClock()]
    let text = ''
    response.on('data', (piece) => {
      text += piece
    })
    let position = 7
    // Each is read in half a second: a month of them takes hours.
    const next = async () => {
      await pause(clock, 500)
      position++
      return { sequence: position, fact: { type: 'worker.registered' } } as unknown as StoredFact
    }
    const cursor: FactCursor = {
      next,
      get position() {
        return position
      },
    }
    void makeListener(response, clock, cursor).run()
    await clock.advance(25_000)
    assert.is(text, [7, 27, 47].map((place) => `:\nid: ${place}\n\n`).join(''))
    response.destroy()
  },
)

Listening.run()

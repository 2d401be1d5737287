import { PassThrough } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Listener } from '../../../src/edge/events/listener.ts'
import type { FactCursor } from '../../../src/ports/fact-reader.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

/** A listener has one of the few places of its wallet until its run ends. */
const Listening = suite('edge: one who listens')

const nothingNew: FactCursor = { next: async () => undefined, position: 7 }

function begin(response: PassThrough, clock: ManualClock) {
  const listener = new Listener({
    response,
    cursor: nothingNew,
    types: new Set(),
    checkKey: async () => {},
    clock,
    log: makeLog('test', 'silent'),
    docsUrl: 'http://127.0.0.1/docs',
  })
  const run = { hasEnded: false }
  void listener.run().then(() => {
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

Listening.run()

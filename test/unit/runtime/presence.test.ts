import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Presence } from '../../../src/runtime/presence.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

/** Who is there, for one who asks seldom: edges and pools are judged only where a job waits for them. */
const Present = suite('presence')
const SILENCE_MS = 3_000

function listening() {
  const [bus, clock] = [new JobBus(), new ManualClock()]
  const presence = new Presence({ bus, clock, silenceMs: SILENCE_MS })
  presence.start()
  return { bus, clock, presence }
}

Present(
  'who was never heard of is gone once it was listened for, though nobody asked',
  async () => {
    const { clock, presence } = listening()
    await clock.advance(SILENCE_MS - 1)
    assert.not.ok(presence.isGone('a'))
    await clock.advance(SILENCE_MS * 2)
    assert.ok(presence.isGone('a'))
  },
)

Present(
  'who was heard of is there until it was silent for so long, or has said goodbye',
  async () => {
    const { clock, presence } = listening()
    await clock.advance(SILENCE_MS * 2)
    for (const each of ['a', 'b']) presence.heard(each)
    presence.forget('b')
    assert.equal([presence.has('a'), presence.has('b')], [true, false])
    assert.equal([presence.isGone('a'), presence.isGone('b')], [false, true])
    await clock.advance(SILENCE_MS)
    assert.not.ok(presence.isGone('a'))
    await clock.advance(1)
    assert.ok(presence.isGone('a'))
  },
)

Present('nobody is judged while the bus is away', async () => {
  const { bus, clock, presence } = listening()
  await clock.advance(SILENCE_MS * 2)
  bus.connected = false
  assert.not.ok(presence.isGone('a'))
})

Present('nor after a pause of this process, for one whole span', async () => {
  const { clock, presence } = listening()
  presence.heard('a')
  clock.standStill(SILENCE_MS * 10)
  assert.not.ok(presence.isGone('a'))
  await clock.advance(SILENCE_MS - 100)
  assert.not.ok(presence.isGone('a'))
  await clock.advance(SILENCE_MS)
  assert.ok(presence.isGone('a'))
})

Present.run()

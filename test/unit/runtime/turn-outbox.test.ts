import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TurnOutbox } from '../../../src/runtime/turn-outbox.ts'
import { TurnBus } from '../../fakes/pool/turn-bus.ts'

const Outbox = suite('outbox of one turn')

Outbox('what one turn says to a receiver is one message, in order', async () => {
  const bus = new TurnBus()
  const outbox = new TurnOutbox(bus)
  outbox.add('a', 1)
  outbox.add('b', 2)
  outbox.add('a', 3)
  assert.is(bus.published.length, 0)
  await turn()
  outbox.add('a', 4)
  await turn()
  assert.equal(bus.published, [
    { subject: 'a', message: [1, 3] },
    { subject: 'b', message: [2] },
    { subject: 'a', message: [4] },
  ])
})

Outbox('a message stays below what the bus carries', async () => {
  const bus = new TurnBus()
  const outbox = new TurnOutbox(bus)
  const said = Array.from({ length: 1_201 }, (_, i) => i)
  for (const each of said) outbox.add('a', each)
  await turn()
  const heard = bus.published.map(({ message }) => message as number[])
  assert.equal(
    heard.map(({ length }) => length),
    [500, 500, 201],
  )
  assert.equal(heard.flat(), said)
})

Outbox.run()

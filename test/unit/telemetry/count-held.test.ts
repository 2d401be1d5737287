import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { countHeld } from '../../../src/runtime/count-held.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'

/** What the alerts PartitionsWithoutOwner, LanesWithoutOwner and WatcherWithoutOwner sum up. */
const Held = suite('telemetry: what an actor host holds')

Held('a host that is cut off from NATS holds nothing, whatever it believes', async () => {
  const metrics = makeMetrics()
  const bus = { connected: true }
  const held = new Set(['0', '1', 'lane.lock'])
  countHeld({
    metrics,
    bus,
    kinds: [
      { kind: 'job', names: ['0', '1', '2'] },
      { kind: 'settlement', names: ['lane.lock'] },
      { kind: 'settlement', names: ['lane.settle'] },
    ],
    ownership: { holds: (name) => held.has(name) },
  })
  const figures = async () =>
    [...(await metrics.text()).matchAll(/^svc_resources_held\{kind="(\w+)"\} (\d+)$/gm)].map(
      ([, kind, count]) => [kind, Number(count)],
    )
  const whole = [
    ['job', 2],
    ['settlement', 1],
  ]
  assert.equal(await figures(), whole)
  bus.connected = false
  assert.equal(await figures(), [
    ['job', 0],
    ['settlement', 0],
  ])
  bus.connected = true
  assert.equal(await figures(), whole)
})

Held.run()

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeGuard } from '../../../src/outbound/guard.ts'
import { makeWebhookSender } from '../../../src/outbound/sender.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'

/** What needs no certificate; the rest is in test/integration/webhooks/sender.test.ts. */
const Sender = suite('outbound: sender')

/** Longer than Node waits for one of several addresses by itself. */
const STANDS_STILL_MS = 400

function standStill(): void {
  const until = performance.now() + STANDS_STILL_MS
  while (performance.now() < until);
}

Sender('an address that takes its time is not given up for one that leads nowhere', async () => {
  const server = createServer((_, response) => response.end('taken'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const resolve = async () => {
    // Timers come next, and what has come is read after them.
    await new Promise((go) => setImmediate(go))
    // Once the first connection has begun, and before anybody looks what became of it.
    process.nextTick(standStill)
    // Nobody listens at the second one.
    return ['127.0.0.1', '::1']
  }
  const guard = makeGuard({ devTargets: true, resolve })
  const sender = makeWebhookSender({ guard, clock: systemClock, attemptMs: 5_000 })
  try {
    const url = `http://hooks.example.com:${port}/`
    const answer = await sender.send({ url, headers: {}, body: '{}' })
    assert.equal([answer.status, answer.error], [200, null])
  } finally {
    await sender.close()
    server.close()
  }
})

Sender.run()

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Delivery } from '../../../src/messages/webhook.ts'
import type { WebhookQueues } from '../../../src/ports/webhook-queues.ts'
import type { Taking } from '../../../src/ports/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'

/** A server that dies with a full disk may count a stream from 1 again, and its consumers go on where they were. */
const Lost = suite('webhook queues: a stream that has lost its end')
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')
const PATIENCE_MS = 60_000
const PLACE_WRITTEN_MS = 3_000

let server: Server
let nats: Nats
Lost.before(async () => {
  server = await startNats()
  nats = await connectNats({ servers: server.url, name: 'test', log })
})
Lost.after(async () => {
  await nats?.close()
  await server?.stop()
})

const delivery = (name: string): Delivery => ({
  wallet: toAddress(`0x${'1'.repeat(40)}`),
  webhookId: 'wh_1',
  eventId: `evt_${name}`,
  eventType: 'job.completed',
  body: '{}',
  attempt: 1,
  dueAt: toUnixMs(1),
  cause: 'event',
  round: 0,
  earlier: [],
  since: toUnixMs(1),
})

function take(queues: WebhookQueues): { taking: Taking; seen: string[] } {
  const seen: string[] = []
  const taking = queues.due.take({
    room: () => 10,
    each: (work) => {
      seen.push(work.body.eventId)
      work.done()
    },
  })
  return { taking, seen }
}

const put = (queues: WebhookQueues, name: string) =>
  queues.put(delivery(name), name, 0).then(
    () => true,
    () => false,
  )

Lost('what is owed from then on is handed out, to who was there and to who comes', async () => {
  const queues = await nats.webhookQueues()
  const first = take(queues)
  for (let n = 0; n < 20; n++) assert.ok(await put(queues, `before-${n}`))
  await until('all are done', () => first.seen.length === 20, PATIENCE_MS)
  // The server writes down where a consumer is a moment later.
  await sleep(PLACE_WRITTEN_MS)
  await rm(join(server.dir, 'jetstream', '$G', 'streams', 'HOOK', 'msgs'), { recursive: true })
  await server.crash()
  await until('the server takes more', () => put(queues, 'after'), PATIENCE_MS)
  await until('it is handed out', () => first.seen.includes('evt_after'), PATIENCE_MS)
  await first.taking.stop()
  const second = take(queues)
  assert.ok(await put(queues, 'later'))
  await until('so is the next', () => second.seen.includes('evt_later'), PATIENCE_MS)
  await second.taking.stop()
  assert.equal([first.seen.length, second.seen], [21, ['evt_later']])
})

Lost.run()

import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sampleFact } from '../../../actors/webhook/sample-facts.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { envelopeOf } from '../../../src/messages/envelope.ts'
import type { PublicJob } from '../../../src/messages/public-job.ts'
import { API_VERSION, EVENT_TYPES, type EventType } from '../../../src/messages/webhook.ts'

/** What the page on webhooks says of events is what is sent. */
const Events = suite('page on webhooks: events')

const page = readFileSync(
  new URL('../../../src/docs/api-reference/webhooks.md', import.meta.url),
  'utf8',
)
const [, events = ''] = /\n## Events\n(.*?)\n## /s.exec(page) ?? []
/** First cells of all tables there. */
const named = [...events.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name!)

const wallet = toAddress(`0x${'1'.repeat(40)}`)
const envelopeFor = (type: EventType) => {
  const fact = sampleFact(type, { wallet, at: toUnixMs(1e12), random: new Uint8Array(32) })
  return JSON.parse(envelopeOf(fact, API_VERSION)) as { readonly data: object }
}
/** Told where the job itself is documented. */
const OF_JOB = [
  ...(['id', 'object', 'status', 'created_at'] as const),
  ...(['completed_at', 'on_chain', 'usage'] as const),
] satisfies (keyof PublicJob)[]
const ofJob: ReadonlySet<string> = new Set(OF_JOB)

Events('each event, each field of its envelope and of its data is there', () => {
  for (const type of EVENT_TYPES) {
    const envelope = envelopeFor(type)
    const isJob = type.startsWith('job.') && type !== 'job.completed'
    const data = Object.keys(envelope.data).filter((name) => !isJob || !ofJob.has(name))
    for (const name of [type, ...Object.keys(envelope), ...data]) {
      assert.ok(named.includes(name), `${type}: ${name}`)
    }
  }
})

Events('a made-up refund is in a block, as each one is that is told', () => {
  for (const type of ['job.failed', 'job.timeout'] as const) {
    const { data } = envelopeFor(type) as { data: { block_number: number | null } }
    assert.type(data.block_number, 'number', type)
  }
})

Events('nothing is there that is not sent', () => {
  const sent = EVENT_TYPES.flatMap((type) => {
    const envelope = envelopeFor(type)
    return [type, ...Object.keys(envelope), ...Object.keys(envelope.data)]
  })
  for (const name of named) assert.ok(sent.includes(name), name)
})

Events.run()

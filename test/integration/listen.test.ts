import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Stripe from 'stripe'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiKeyHash } from '../../src/domain/hash.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import { KEY, openStage, type Stage, WALLET } from '../fakes/edge/stage.ts'
import { type ListenProcess, startListening } from '../fakes/listen-process.ts'
import { topupFact } from '../fakes/webhooks/facts.ts'
import { type Receiver, startReceiver } from '../fakes/webhooks/receiver.ts'
import { until } from '../until.ts'

const Listen = suite<{ stage: Stage; receiver: Receiver; started: ListenProcess[] }>(
  'npm run listen',
)
Listen.before.each(async (context) => {
  context.stage = await openStage()
  context.receiver = await startReceiver()
  context.started = []
})
Listen.after.each(async ({ stage, receiver, started }) => {
  for (const listening of started) await listening.stop()
  await stage.close()
  await receiver.close()
})

const AT = toUnixMs(1_800_000_000_000)
const SECRET = 'a secret of mine'

const listen = (
  { started }: { started: ListenProcess[] },
  args: readonly string[],
  env: Record<string, string> = { SVC_API_KEY: KEY },
) => {
  const listening = startListening(args, env)
  started.push(listening)
  return listening
}
const says = (listening: ListenProcess, text: string | RegExp) =>
  until(`it to say ${text}`, () => {
    if (listening.exitCode() !== undefined && !isIn(listening, text)) {
      throw new Error(`it ended, saying: ${listening.said()}`)
    }
    return isIn(listening, text)
  })
const isIn = (listening: ListenProcess, text: string | RegExp) =>
  typeof text === 'string' ? listening.said().includes(text) : text.test(listening.said())

Listen('sends events on, signed as a webhook’s are, and tells what came of it', async (context) => {
  const { stage, receiver } = context
  const listening = listen(context, [
    ...['--base-url', `${stage.url}/v1`, '--forward', receiver.url('hook')],
    ...['--secret', SECRET],
  ])
  await says(listening, 'Listening to')
  const fact = topupFact(WALLET, AT, 1)
  stage.facts.store(fact)
  await says(listening, `${fact.id}  → 200 after`)
  const [received] = receiver.received('hook')
  assert.is(received!.headers['content-type'], 'application/json; charset=utf-8')
  const event = Stripe.webhooks.constructEvent(
    received!.body,
    received!.headers['svc-signature'] as string,
    SECRET,
  )
  assert.is(event.id, fact.id)
  receiver.behave('hook', 500)
  stage.facts.store(topupFact(WALLET, AT, 2))
  await says(listening, '→ 500 after')
  await receiver.close()
  stage.facts.store(topupFact(WALLET, AT, 3))
  await says(listening, '→ no answer: ')
  assert.not.match(listening.said(), KEY)
  assert.not.match(listening.said(), SECRET)
  await listening.stop()
  assert.is(listening.exitCode(), 0)
})

Listen('makes a secret and shows it once; without a target it only shows', async (context) => {
  const { stage, receiver } = context
  const base = ['--base-url', `${stage.url}/v1`]
  const forwarding = listen(context, [...base, '--forward', receiver.url('hook')])
  const showing = listen(context, [...base, '--events', 'credit.topup'])
  await says(forwarding, 'Listening to')
  await says(showing, 'Listening to')
  const [, secret] = /Signing secret: (\S+)/.exec(forwarding.said())!
  const fact = topupFact(WALLET, AT, 1)
  stage.facts.store(fact)
  await says(forwarding, fact.id)
  await says(showing, `credit.topup  ${fact.id}\n`)
  const { body, headers } = receiver.received('hook')[0]!
  Stripe.webhooks.constructEvent(body, headers['svc-signature'] as string, secret!)
  assert.not.match(showing.said(), 'secret')
})

Listen('Ctrl-C ends it, whatever was forgotten since it began to listen', async (context) => {
  const preload = new URL('../fakes/collect-garbage.mjs', import.meta.url)
  const env = { SVC_API_KEY: KEY, NODE_OPTIONS: `--import=${preload}` }
  const listening = listen(context, ['--base-url', `${context.stage.url}/v1`], env)
  await says(listening, 'Listening to')
  context.stage.facts.store(topupFact(WALLET, AT, 1))
  await says(listening, 'credit.topup')
  await sleep(300) // several collections
  await listening.stop()
  assert.is(listening.exitCode(), 0)
})

Listen('what answers with no events, and without end, ends it', async (context) => {
  const endless = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('on and on')
  })
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
  const { port } = endless.address() as AddressInfo
  const listening = listen(context, ['--base-url', `http://127.0.0.1:${port}/v1`])
  await until('its end', () => listening.exitCode() !== undefined)
  assert.is(listening.exitCode(), 1)
  assert.match(listening.said(), 'something else than events: check --base-url')
  endless.closeAllConnections()
  endless.close()
})

for (const [what, args, env, words] of [
  ['no key', [], {}, /there is no API key: set SVC_API_KEY/],
  ['no key, of a branded service', [], { SERVICE_PREFIX: 'acme' }, /pass --key acme_live_…/],
  ['a prefix that is none', [], { SERVICE_PREFIX: 'Acme' }, /SERVICE_PREFIX: must be/],
  ['a key that is not known', [], { SVC_API_KEY: `svc_live_${'z'.repeat(32)}` }, /is not known/],
  ['an event that is none', ['--events', 'job.done'], { SVC_API_KEY: KEY }, /no event type/],
  [
    'a flag that is none',
    ['--forwards', 'x'],
    { SVC_API_KEY: KEY },
    /Unknown option[\s\S]*--forward/,
  ],
  ['a target that is none', ['--forward', 'x:y'], { SVC_API_KEY: KEY }, /--forward must be/],
  [
    'a secret that no webhook may have',
    ['--secret', 'a7chars'],
    { SVC_API_KEY: KEY },
    /--secret must have 8 to 256 characters/,
  ],
] as const) {
  Listen(`${what}: says so, and ends with 1`, async (context) => {
    const base = ['--base-url', `${context.stage.url}/v1`]
    const listening = listen(context, [...base, ...args], env)
    await until('its end', () => listening.exitCode() !== undefined)
    assert.is(listening.exitCode(), 1)
    assert.match(listening.said(), words)
    assert.not.match(listening.said(), /\n\s+at /, 'no stack trace')
  })
}

Listen('a key that is revoked ends it', async (context) => {
  const { stage } = context
  const listening = listen(context, ['--base-url', `${stage.url}/v1`])
  await says(listening, 'Listening to')
  await stage.keys.delete(apiKeyHash(KEY))
  await until('its end', () => listening.exitCode() !== undefined)
  assert.is(listening.exitCode(), 1)
  assert.match(listening.said(), /is not known/)
})

Listen('what is no such service says so', async (context) => {
  const listening = listen(context, ['--base-url', `${context.receiver.url('v1')}`])
  await until('its end', () => listening.exitCode() !== undefined)
  assert.match(listening.said(), 'check --base-url')
})

Listen('goes on after the last event that was sent on, however it was cut', async (context) => {
  const cutter = await startCuttingService()
  try {
    const listening = listen(context, [
      ...['--base-url', cutter.url, '--forward', context.receiver.url('hook')],
    ])
    await says(listening, 'evt_6')
    await says(listening, 'Not connected: ')
    const ids = context.receiver.received('hook').map(({ eventId }) => eventId)
    // It goes on, and may have more by now.
    assert.equal(ids.slice(0, 6), ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5', 'evt_6'])
    assert.equal(cutter.places.slice(0, 4), [undefined, '2', '2', '4'])
  } finally {
    await cutter.close()
  }
})

/** Tells two events a connection, then cuts it; once it answers 503, once in the middle of an event. */
async function startCuttingService() {
  const places: (string | undefined)[] = []
  const tell = (response: ServerResponse, from: number): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const place of [from + 1, from + 2]) {
      const envelope = JSON.stringify({ id: `evt_${place}`, event: 'job.submitted' })
      response.write(`id: ${place}\nevent: job.submitted\ndata: ${envelope}\n\n`)
    }
    response.write(`id: ${from + 3}\nevent: job.submitted\ndata: {"id":"evt`, () => {
      response.destroy()
    })
  }
  const server: HttpServer = createServer((request, response) => {
    const place = request.headers['last-event-id']
    places.push(place === undefined ? undefined : String(place))
    if (places.length === 2) response.writeHead(503, { 'retry-after': '1' }).end('{}')
    else tell(response, Number(place ?? 0))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    places,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

Listen.run()

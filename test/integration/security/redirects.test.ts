import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { forward } from '../../../src/listen/forward.ts'
import { makeGuard } from '../../../src/outbound/guard.ts'
import { makeWebhookSender } from '../../../src/outbound/sender.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { EngineFault } from '../../../src/worker/engine.ts'
import { OpenAiEngine } from '../../../src/worker/engines/openai.ts'
import { defaultNames } from '../../fakes/default-names.ts'

/** Whoever is asked may point elsewhere, to where only we can reach: nothing of ours goes there. */
const Redirects = suite('security: redirects')

const STATUSES = [301, 302, 303, 307, 308]
const MODEL = 'Qwen/Qwen3-8B'
const open: Server[] = []
/** Requests that reached the address that was pointed to. */
let trapped = 0
let trapUrl: string

Redirects.before(async () => {
  const port = await listening((_, response) => {
    trapped++
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n')
  })
  trapUrl = `http://127.0.0.1:${port}/latest/meta-data`
})
Redirects.after(() => {
  for (const server of open) server.close()
})
Redirects.before.each(() => {
  trapped = 0
})
Redirects.after.each(() => assert.is(trapped, 0, 'somebody went where it was pointed to'))

async function listening(listener: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer(listener)
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
/** Answers each request of these paths by pointing to the trap. */
const pointing = (status: number, only = /./) =>
  listening((request, response) => {
    if (only.test(request.url ?? '')) response.writeHead(status, { location: trapUrl }).end('moved')
    else response.end(JSON.stringify({ data: [{ id: MODEL }] }))
  })

for (const status of STATUSES) {
  Redirects(`${status}: a webhook's delivery ends where it was sent`, async () => {
    const guard = makeGuard({ devTargets: true, resolve: async () => ['127.0.0.1'] })
    const sender = makeWebhookSender({ guard, clock: systemClock, attemptMs: 20_000 })
    const url = `http://endpoint.example.com:${await pointing(status)}/in`
    const answer = await sender.send({ url, headers: {}, body: '{}' })
    await sender.close()
    assert.equal([answer.delivered, answer.status], [false, status])
  })

  Redirects(`${status}: a worker's prompt goes to its upstream and nowhere else`, async () => {
    const port = await pointing(status, /chat/)
    const engine = engineAt(port)
    assert.equal([...(await engine.models()).keys()], [MODEL])
    const job = {
      ...{ jobId: 'job_x', model: MODEL, outputTokensMax: 9, sampling: {} },
      messages: [{ role: 'user' as const, content: 'a secret' }],
    }
    const pieces: unknown[] = []
    const fault = await (async () => {
      for await (const piece of engine.generate(job, AbortSignal.timeout(20_000)))
        pieces.push(piece)
    })().catch((error: unknown) => error)
    await engine.close()
    assert.instance(fault, EngineFault)
    assert.equal(pieces, [])
  })

  Redirects(`${status}: nor does its key, when it asks for models`, async () => {
    const engine = engineAt(await pointing(status))
    assert.is((await engine.models()).size, 0)
    await engine.close()
  })

  Redirects(`${status}: what is listened to is not handed on`, async () => {
    const url = `http://127.0.0.1:${await pointing(status)}/hook`
    const event = { eventId: 'evt_x', body: '{}', secret: 's'.repeat(32) }
    const said = await forward({ url, ...event, names: defaultNames })
    assert.match(said, new RegExp(`^${status} `))
  })
}

const engineAt = (port: number) =>
  new OpenAiEngine({
    ...{ url: `http://127.0.0.1:${port}/v1`, apiKey: 'upstream-key', wanted: [] },
    log: makeLog('test', 'silent'),
  })

Redirects.run()

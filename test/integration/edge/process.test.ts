import { once } from 'node:events'
import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiKeyHash } from '../../../src/domain/hash.ts'
import { inTime } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { askEdge, type EdgeProcess, startEdgeProcess } from '../../fakes/edge/edge-process.ts'
import { eventsOf, openChat, readAll } from '../../fakes/edge/raw-http.ts'
import { chat, KEY, WALLET } from '../../fakes/edge/stage.ts'
import { until } from '../../until.ts'

/** The edge as it is run. */
const Process = suite<{ world: EdgeProcess }>('edge process')
Process.before(async (context) => {
  context.world = await startEdgeProcess()
})
Process.after(({ world }) => world?.stop())

Process('is ready, and answers plainly', async ({ world }) => {
  assert.is((await askEdge(world, '/readyz')).status, 200)
  const response = await askEdge(world, '/v1/chat/completions', chat())
  assert.is(response.status, 200)
  assert.match(await response.text(), /"content":"Hello wörld"/)
  assert.ok(response.headers.get('x-svc-settlement-tx'))
  assert.ok(response.headers.get('x-svc-credits-remaining'))
})

Process('answers as a stream', async ({ world }) => {
  const response = await openChat(world.url, chat({ stream: true, max_tokens: 10 }))
  const events = eventsOf(await readAll(response))
  const text = events.slice(0, -1).map((event) => event.choices[0].delta.content ?? '')
  assert.is(text.join(''), 'Hello wörld')
  assert.is(events.at(-1), '[DONE]')
})

Process('a revoked key is refused at once', async ({ world }) => {
  const keys = await world.bus.registry('KEYS')
  assert.is((await askEdge(world, '/v1/account')).status, 200)
  // The word reaches the edge by its own way: at once, but not before this test goes on.
  const answers = (status: number) =>
    until(`a ${status}`, async () => (await askEdge(world, '/v1/account')).status === status)
  await keys.delete(apiKeyHash(KEY))
  await answers(401)
  await keys.set(apiKeyHash(KEY), { wallet: WALLET, createdAt: 1, status: 'active' })
  await answers(200)
})

Process('Redis away: 503 at once, and again 200 when it is back', async ({ world }) => {
  await world.redis.crash()
  const answers: number[] = []
  await until(
    () => `a 200 after ${answers}`,
    async () => {
      answers.push((await askEdge(world, '/v1/chat/completions', chat({ max_tokens: 10 }))).status)
      return answers.at(-1) === 200
    },
  )
  assert.ok(
    answers.every((status) => status === 503 || status === 200),
    String(answers),
  )
})

Process(
  'SIGTERM: not ready, still serving, then ends with 0 and waits for no silent connection',
  async ({ world }) => {
    const { hostname, port } = new URL(world.url)
    const silent = connect(Number(port), hostname)
    await once(silent, 'connect')
    world.edge.kill('SIGTERM')
    // Whoever looks is told to send nothing more here; what still comes is served.
    await until('it is not ready', async () => (await askEdge(world, '/readyz')).status === 503)
    const models = await askEdge(world, '/v1/models')
    assert.equal([models.status, models.headers.get('connection')], [200, 'close'])
    // One that is waited for holds it up for DRAIN_SECONDS, two minutes.
    assert.is(await inTime(systemClock, 60_000, world.exited), 0)
    silent.destroy()
  },
)

Process.run()

import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { askEdge, type EdgeProcess, startEdgeProcess } from '../../fakes/edge/edge-process.ts'
import { chat, MODEL } from '../../fakes/edge/stage.ts'
import { until } from '../../until.ts'

/**
 * What an edge stands on dies or hangs: every route answers, in the envelope, within a bound.
 * A server that hangs is the harder case: nothing tells that it will not answer.
 */
const Failures = suite<{ world: EdgeProcess }>('edge: failures of NATS, Redis and the chain')
Failures.before(async (context) => {
  context.world = await startEdgeProcess()
})
Failures.after(({ world }) => world?.stop())

/**
 * The longest wait for one server is for a job's owner: 8 s to begin the job, 12 s while it is not known
 * whether it began. The rest is for a machine that does much else: what waits for ever is found all the same.
 */
const BOUND_MS = 45_000
const JOB = `job_${'0'.repeat(26)}`
const HASH = `sha256:${'ab'.repeat(32)}`

interface Ask {
  readonly path: string
  readonly body?: unknown
  readonly headers?: object
}
/** @param round no request repeats one of another round */
const routes = (round: string): readonly Ask[] => [
  { path: '/v1/chat/completions', body: chat({ max_tokens: 10 }) },
  { path: '/v1/chat/completions', body: chat({ max_tokens: 10, stream: true }) },
  { path: '/v1/chat/completions', body: chat(), headers: { 'idempotency-key': round } },
  {
    path: '/v1/chat/completions',
    body: chat({ user: round }),
    headers: { 'x-stainless-retry-count': '1' },
  },
  { path: '/v1/models' },
  { path: `/v1/models/${MODEL}` },
  { path: '/v1/jobs' },
  { path: `/v1/jobs/${JOB}` },
  { path: `/v1/jobs/${JOB}/dispute`, body: { received_output_hash: HASH } },
  { path: '/v1/account' },
  { path: '/v1/nothing' },
  { path: '/readyz' },
  { path: '/healthz' },
]

interface Answered extends Ask {
  readonly status: number
  readonly code: string | undefined
  readonly tookMs: number
}

/** Asks every route at once; each answer is whole, or an error in the envelope. */
function askAll(world: EdgeProcess): Promise<Answered[]> {
  return Promise.all(
    routes(randomUUID()).map(async (route) => {
      const startedAt = performance.now()
      const response = await askEdge(world, route.path, route.body, route.headers)
      const { status } = response
      const text = await response.text()
      const tookMs = performance.now() - startedAt
      const where = `${route.path}: ${status} after ${Math.round(tookMs)} ms: ${text}`
      assert.ok([200, 404, 422, 500, 503].includes(status), where)
      assert.not.match(text, /\bat .*\.[jt]s:\d+|node_modules|NatsError|ECONN/, where)
      assert.ok(response.headers.get('x-request-id'), where)
      assert.ok(tookMs < BOUND_MS, where)
      if (status === 200) return { ...route, status, code: undefined, tookMs }
      const { error } = JSON.parse(text)
      assert.is(typeof error.message, 'string', where)
      assert.ok(error.docs.endsWith(`#${error.code}`), where)
      if (status === 503) assert.ok(Number(response.headers.get('retry-after')) >= 1, where)
      return { ...route, status, code: error.code, tookMs }
    }),
  )
}

const tell = (what: string, answers: readonly Answered[]): void => {
  const lines = answers.map(({ path, status, tookMs }) => `${path} ${status} ${Math.round(tookMs)}`)
  process.stdout.write(`  ${what}: ${lines.join(', ')}\n`)
}
const statusOf = (answers: readonly Answered[], path: string): readonly number[] =>
  answers.filter((answer) => answer.path === path).map(({ status }) => status)

async function untilHealed(world: EdgeProcess): Promise<void> {
  let status = 0
  const look = async () => {
    status = (await askEdge(world, '/v1/chat/completions', chat({ max_tokens: 10 }))).status
  }
  const looking = setInterval(() => void look().catch(() => {}), 100)
  try {
    await until('the edge answers again', () => status === 200, 60_000)
  } finally {
    clearInterval(looking)
  }
}

Failures('with everything there, every route answers', async ({ world }) => {
  const answers = await askAll(world)
  tell('all is well', answers)
  assert.equal(statusOf(answers, '/v1/chat/completions'), [200, 200, 200, 200])
  assert.equal(statusOf(answers, '/readyz'), [200])
})

for (const server of ['nats', 'redis'] as const) {
  Failures(`${server} hangs`, async ({ world }) => {
    process.kill(world[server].pid, 'SIGSTOP')
    try {
      const answers = await askAll(world)
      tell(`${server} halted`, answers)
      assert.equal(statusOf(answers, '/readyz'), [503])
      assert.equal(statusOf(answers, '/healthz'), [200])
      assert.equal(statusOf(answers, '/v1/chat/completions'), [503, 503, 503, 503])
      // By now connections may be known to be dead, and models forgotten.
      await new Promise((resolve) => setTimeout(resolve, 8_000))
      tell(`${server} halted for long`, await askAll(world))
    } finally {
      process.kill(world[server].pid, 'SIGCONT')
    }
    await untilHealed(world)
  })

  Failures(`${server} is dead`, async ({ world }) => {
    process.kill(world[server].pid, 'SIGKILL')
    try {
      const answers = await askAll(world)
      tell(`${server} dead`, answers)
      assert.equal(statusOf(answers, '/readyz'), [503])
      assert.equal(statusOf(answers, '/v1/chat/completions'), [503, 503, 503, 503])
    } finally {
      await world[server].crash()
    }
    await untilHealed(world)
  })
}

Failures('the chain does not answer, and a wallet has to be read from it', async ({ world }) => {
  world.chainAnswers = false
  // Its ledger is of an earlier life, which is not believed.
  await world.redis.crash()
  let ready = 0
  const looking = setInterval(async () => {
    ready = await askEdge(world, '/readyz').then(
      ({ status }) => status,
      () => 0,
    )
  }, 50)
  try {
    await until('the edge reaches Redis again', () => ready === 200, 60_000)
  } finally {
    clearInterval(looking)
  }
  const answers = await askAll(world)
  tell('chain away', answers)
  assert.equal(statusOf(answers, '/v1/account'), [503])
  world.chainAnswers = true
  await untilHealed(world)
})

Failures.run()

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { err } from '../../../src/domain/result.ts'
import { EDGE_ELSEWHERE, EDGE_ROWS, WEB_ELSEWHERE, WEB_ROWS } from '../../e2e/security-isolation.ts'
import { openStage } from '../../fakes/edge/stage.ts'
import { openWebStage } from '../../fakes/web/stage.ts'

/**
 * What a stranger tries on each route (test/e2e/security-network.test.ts) is a table. These are the routes
 * that the servers themselves register, however they are written: one without a row fails.
 */
const Routes = suite('security: every route is tried by strangers')

/** Routes that are there only for some settings: a row may name one that a bare server has not. */
const SOMETIMES: readonly string[] = ['POST /api/development/fund']

Routes('public API', async () => {
  const found = (await registered(ofEdge))
    .filter(({ path, undocumented }) => path.startsWith('/v1') && !undocumented)
    .map(({ method, path }) => `${method} ${path.replace('/v1', '')}`)
    // As the document writes them: a model's id has slashes.
    .map((route) => route.replace('/models/*', '/models/{model_id}'))
    .map((route) => route.replace('/jobs/:id', '/jobs/{job_id}'))
    .map((route) => route.replace('/webhooks/:id', '/webhooks/{webhook_id}'))
  assert.equal(sorted(found), sorted([...Object.keys(EDGE_ROWS), ...EDGE_ELSEWHERE]))
})

Routes('web app', async () => {
  const found = (await registered(ofWeb))
    .filter(({ path }) => path.startsWith('/api'))
    .map(({ method, path }) => `${method} ${path}`)
  const rows = [...Object.keys(WEB_ROWS), ...WEB_ELSEWHERE]
  assert.equal(
    sorted([...found, ...SOMETIMES]),
    sorted(rows),
    'the rows of test/e2e/security-isolation.ts',
  )
})

Routes('what is under no known root is for everybody: pages, probes and nothing else', async () => {
  const all = [...(await registered(ofEdge)), ...(await registered(ofWeb))]
  const open = all
    .filter(({ path, undocumented }) => !/^\/(?:v1|api)\b/.test(path) && !undocumented)
    .map(({ method, path }) => `${method} ${path}`)
  assert.ok(open.length > 3)
  for (const route of open) {
    assert.match(route, /^GET \/(?:\*|docs\b.*|healthz|readyz|metrics)?$/, route)
  }
})

interface Registered {
  readonly method: string
  readonly path: string
  /** A refusal that has a path: the wrong method. */
  readonly undocumented: boolean
}

/** Makes a server. @returns what ends it */
type Start = () => Promise<() => Promise<void>>

const ofEdge: Start = async () => {
  const stage = await openStage()
  return () => stage.close()
}
const ofWeb: Start = async () => {
  const signIn = { verify: async () => err('not signed') }
  const stage = await openWebStage({ origin: 'http://web.test', signIn })
  return () => stage.web.stop()
}

async function registered(start: Start): Promise<readonly Registered[]> {
  const routes: Registered[] = []
  const listen = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, path, config }) => {
      for (const one of [method].flat()) {
        if (one === 'HEAD') continue // made for each GET
        routes.push({ method: one, path, undocumented: config?.undocumented === true })
      }
    })
  }
  subscribe('fastify.initialization', listen)
  try {
    const stop = await start()
    await stop()
  } finally {
    unsubscribe('fastify.initialization', listen)
  }
  return routes
}

const sorted = (routes: readonly string[]): string[] => [...new Set(routes)].sort()

Routes.run()

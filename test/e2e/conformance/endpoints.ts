import * as assert from 'uvu/assert'
import { bodyOf, chat, readAccount, send } from '../customer.ts'
import { listed } from './account-model.ts'
import { ERROR_CODES, refusedAs } from './envelope.ts'
import { checkJob, hasFields, MODEL_FIELDS, MODEL_SVC_FIELDS } from './forms.ts'
import { ASK, header, NO_JOB, STANDARD, type Wire, type WireRow } from './wire-stage.ts'

/** Each endpoint as a whole, and what holds for all of them. */
export function endpointRows(row: WireRow, wire: () => Wire): void {
  wholeRows(row, wire)
  versionRows(row, wire)
  documentationRows(row, wire)
}

function wholeRows(row: WireRow, wire: () => Wire): void {
  row('Endpoints', 'all endpoints require the Authorization header', async () => {
    const { customer, network } = wire()
    const wanted = { status: 401, code: 'missing_api_key', param: null }
    for (const [method, path] of [
      ['POST', '/chat/completions'],
      ['GET', '/models'],
      ['GET', `/models/${STANDARD}`],
      ['GET', '/jobs'],
      ['GET', `/jobs/${NO_JOB}`],
      ['POST', `/jobs/${NO_JOB}/dispute`],
      ['GET', '/account'],
      ['POST', '/webhooks'],
      ['GET', '/webhooks'],
      ['DELETE', '/webhooks/wh_none'],
    ] as const) {
      const answer = await send(customer, path, { method, authorization: null })
      refusedAs(answer, network.docs_url, wanted)
    }
  })
  row('Endpoints', 'request and response bodies are JSON', async () => {
    const { get, plain } = wire()
    const answers = [(await plain()).answer]
    for (const path of ['/models', '/account', '/jobs', '/none']) answers.push(await get(path))
    for (const answer of answers) {
      assert.match(header(answer, 'content-type'), /^application\/json\b/)
      JSON.parse(answer.text)
    }
  })
  row('Endpoints', 'GET /models: object list, data = array of Model', async () => {
    const { object, data, ...rest } = bodyOf<Record<string, unknown>>(await wire().get('/models'))
    assert.is(object, 'list')
    assert.ok(Array.isArray(data))
    for (const model of data) hasFields(model, MODEL_FIELDS)
    assert.equal(rest, {})
  })
  row('Endpoints', 'GET /models/<model_id>: identical in shape to a list entry', async () => {
    const { get } = wire()
    for (const { id, svc } of await listed(wire())) {
      const one = bodyOf<{ id: string; svc: object }>(await get(`/models/${id}`))
      assert.is(one.id, id)
      hasFields(one, MODEL_FIELDS)
      hasFields(one.svc, MODEL_SVC_FIELDS)
      assert.equal(
        Object.entries(one.svc).map(([name, value]) => [name, typeof value]),
        Object.entries(svc).map(([name, value]) => [name, typeof value]),
      )
      // The clients escape what they put into a path.
      assert.is(bodyOf<{ id: string }>(await get(`/models/${encodeURIComponent(id)}`)).id, id)
    }
  })
  row('Endpoints', 'GET /jobs/<job_id>: one Job object', async () => {
    const { get, plain } = wire()
    const { id } = (await plain()).job
    checkJob(bodyOf(await get(`/jobs/${id}`)))
  })
  row('Endpoints', 'GET /jobs: Job list', async () => {
    await wire().plain()
    const list = bodyOf<{ data: [] }>(await wire().get('/jobs'))
    hasFields(list, ['object', 'data', 'has_more', 'next_cursor'])
    list.data.forEach(checkJob)
  })
  row('Endpoints', 'GET /account: Account object', async () => {
    hasFields(await readAccount(wire().customer), [
      'wallet',
      'credits_remaining',
      'usdg_value',
      'last_topup_at',
      'api_key_created_at',
    ])
  })
  row('Endpoints', 'success statuses: 200', async () => {
    const { get, plain, stream } = wire()
    const { job, answer } = await plain()
    const answers = [answer, (await stream()).answer]
    const paths = ['/models', `/models/${STANDARD}`, '/jobs', `/jobs/${job.id}`, '/account']
    for (const path of paths) answers.push(await get(path))
    for (const { status } of answers) assert.is(status, 200)
  })
}

function versionRows(row: WireRow, wire: () => Wire): void {
  row('Versioning', 'all endpoints live under /v1', async () => {
    const { customer, network } = wire()
    assert.ok(customer.baseUrl.endsWith('/v1'))
    const root = { ...customer, baseUrl: customer.baseUrl.slice(0, -'/v1'.length) }
    for (const path of ['/models', '/account', '/jobs', '/v2/models', '/V1/models']) {
      const answer = await send(root, path)
      refusedAs(answer, network.docs_url, { status: 404, code: 'route_not_found', param: null })
    }
  })
  row('Versioning', 'model IDs are stable: every listed ID is taken', async () => {
    for (const { id } of await listed(wire())) {
      bodyOf(await chat(wire().customer, { ...ASK, model: id, max_tokens: 1 }))
    }
  })
  row('Other (choice)', 'names: headers x-svc-*, keys svc_live_, the svc object', async () => {
    const { plain, stream, customer } = wire()
    const names = Object.keys((await plain()).answer.headers)
    const own = names.filter((name) => name.startsWith('x-svc-')).sort()
    assert.equal(own, [
      'x-svc-credits-remaining',
      'x-svc-job-id',
      'x-svc-settlement-tx',
      'x-svc-tx-hash',
      'x-svc-worker',
    ])
    assert.ok(customer.apiKey.startsWith('svc_live_'))
    assert.ok((await stream()).service)
  })
  row('Other (choice)', 'credits_remaining is the same everywhere once nothing runs', async () => {
    const { buyer, chain, get } = wire()
    const somebody = await buyer(100)
    const answer = await chat(somebody, ASK)
    const account = await get('/account', somebody)
    const { credits_remaining } = bodyOf<{ credits_remaining: number }>(account)
    assert.is(credits_remaining, 92)
    for (const each of [answer, account, await get('/models', somebody)]) {
      assert.is(header(each, 'x-svc-credits-remaining'), '92')
    }
    assert.is((await chain.account(somebody.wallet)).available, 92n)
  })
  row('Other (choice)', 'an account without a top-up has last_topup_at null', async () => {
    const account = await readAccount(await wire().stranger())
    assert.is(account.last_topup_at, null)
    assert.is(account.credits_remaining, 0)
  })
}

function documentationRows(row: WireRow, wire: () => Wire): void {
  row('Documentation', 'error.docs leads to a page with an anchor for every code', async () => {
    const { network } = wire()
    const page = await fetch(`${network.docs_url}/api-reference/errors`, {
      signal: AbortSignal.timeout(30_000),
    })
    assert.is(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html\b/)
    const html = await page.text()
    const missing = Object.keys(ERROR_CODES).filter((code) => !html.includes(`id="${code}"`))
    assert.equal(missing, [])
  })
  row('Documentation', 'OpenAPI 3.1 at /v1/openapi.json names every endpoint', async () => {
    const answer = await fetch(`${wire().network.base_url}/openapi.json`, {
      signal: AbortSignal.timeout(30_000),
    })
    assert.is(answer.status, 200, 'without a key')
    const document = (await answer.json()) as { openapi: string; paths: Record<string, object> }
    assert.match(document.openapi, /^3\.1\./)
    const served = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path.replace(/\{[^}]+\}/g, '{}')}`),
    )
    for (const endpoint of [
      'post /chat/completions',
      'get /models',
      'get /models/{}',
      'get /jobs/{}',
      'get /jobs',
      'post /jobs/{}/dispute',
      'get /account',
    ]) {
      // Either with the prefix in the path, or with it in `servers`.
      const withPrefix = endpoint.replace(' ', ' /v1')
      assert.ok(served.includes(endpoint) || served.includes(withPrefix), `${endpoint}: ${served}`)
    }
  })
}

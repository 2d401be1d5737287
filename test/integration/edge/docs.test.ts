import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ERRORS } from '../../../src/domain/errors.ts'
import { PAGES } from '../../../src/edge/docs/pages.ts'
import { exchangeRaw } from '../../fakes/edge/raw-http.ts'
import { call, DOCS_URL, jsonOf, openStage, type Stage } from '../../fakes/edge/stage.ts'

/** The reference that an edge serves, as a browser and a program find it. */
const Docs = suite<{ stage: Stage }>('edge: docs')
Docs.before.each(async (context) => {
  context.stage = await openStage()
})
Docs.after.each(async ({ stage }) => stage.close())

const ERRORS_PAGE = '/docs/api-reference/errors'
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const read = async (stage: Stage, path: string, headers: object = {}) => {
  const response = await call(stage, path, { key: null, headers })
  return { response, html: await response.text() }
}
const idsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
const hrefsOf = (html: string): string[] =>
  [...html.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href!)

Docs(
  'the errors page has an anchor for every code, and error.docs leads to it',
  async ({ stage }) => {
    const { response, html } = await read(stage, ERRORS_PAGE)
    assert.is(response.status, 200)
    assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8')
    const ids = idsOf(html)
    for (const code of Object.keys(ERRORS)) {
      assert.is(ids.filter((id) => id === code).length, 1, code)
    }
    const { error } = await jsonOf(await call(stage, '/v1/nothing'))
    assert.is(error.docs, `${DOCS_URL}/api-reference/errors#route_not_found`)
  },
)

Docs('every link leads to a page, and to a place on it', async ({ stage }) => {
  const pages = new Map<string, string>()
  for (const { name } of PAGES) {
    const { response, html } = await read(stage, `/docs/api-reference/${name}`)
    assert.is(response.status, 200, name)
    assert.match(html, `aria-current="page"`)
    pages.set(name, html)
  }
  for (const [name, html] of pages) {
    const ids = idsOf(html)
    assert.equal(ids, [...new Set(ids)], `${name} names a place twice`)
    assert.not.match(html, /\{\{|host\.invalid/, `${name} is not filled in`)
    for (const href of hrefsOf(html)) {
      if (href === `${stage.url}/v1/openapi.json`) continue
      const [page, anchor] = href.split('#')
      const target = pages.get(page || name)
      assert.ok(target, `${name} links to ${href}`)
      if (anchor) assert.ok(idsOf(target ?? '').includes(anchor), `${name} links to ${href}`)
    }
  }
})

Docs('pages load nothing and run nothing', async ({ stage }) => {
  for (const { name } of PAGES) {
    const { response, html } = await read(stage, `/docs/api-reference/${name}`)
    assert.not.match(
      html,
      /<(?:script|link|img|iframe|form)\b|\son\w+=|\ssrc=|\sstyle=|@import|url\(/,
    )
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, "default-src 'none'")
    assert.match(policy, "style-src 'sha256-")
    assert.not.match(policy, /script-src|unsafe/)
    assert.is(response.headers.get('x-content-type-options'), 'nosniff')
    assert.match(html, 'prefers-color-scheme:dark')
    assert.match(html, 'name="viewport"')
  }
})

Docs('a page is not sent again to those who have it', async ({ stage }) => {
  for (const path of [ERRORS_PAGE, '/v1/openapi.json']) {
    const { response, html } = await read(stage, path)
    const etag = response.headers.get('etag') ?? ''
    assert.match(etag, /^"[\w-]+"$/)
    assert.match(response.headers.get('cache-control') ?? '', 'max-age=300')
    const again = await read(stage, path, { 'if-none-match': `"other", W/${etag}` })
    assert.equal([again.response.status, again.html], [304, ''])
    assert.is(again.response.headers.get('etag'), etag)
    assert.is((await read(stage, path, { 'if-none-match': '"other"' })).html, html)
  }
})

Docs('HEAD says what GET would, without it', async ({ stage }) => {
  for (const path of [ERRORS_PAGE, '/v1/openapi.json', '/docs/no-such-page']) {
    const get = await read(stage, path, BROWSER)
    const head = await call(stage, path, { method: 'HEAD', key: null, headers: BROWSER })
    assert.equal([head.status, await head.text()], [get.response.status, ''])
    for (const name of ['content-type', 'content-length', 'etag']) {
      assert.is(head.headers.get(name), get.response.headers.get(name), `${name} of ${path}`)
    }
  }
})

Docs('every entrance leads a browser to the first page', async ({ stage }) => {
  for (const path of ['/', '/docs', '/docs/', '/docs/api-reference', '/docs/api-reference/']) {
    const { response, html } = await read(stage, path, BROWSER)
    assert.is(response.url, `${stage.url}/docs/api-reference/quickstart`, path)
    assert.match(html, '<h1 id="quickstart">')
  }
})

Docs('at the root a program finds its way', async ({ stage }) => {
  const response = await call(stage, '/', { key: null })
  assert.equal(await jsonOf(response), {
    service: 'Prepaid Inference API',
    base_url: `${stage.url}/v1`,
    docs: DOCS_URL,
    openapi: `${stage.url}/v1/openapi.json`,
  })
})

Docs(
  'a page that is not there: readable for a browser, the envelope for a program',
  async ({ stage }) => {
    for (const path of [
      '/docs/nothing',
      '/docs/api-reference/nothing',
      '/docs/errors',
      `${ERRORS_PAGE}/`,
    ]) {
      const page = await read(stage, path, BROWSER)
      assert.is(page.response.status, 404)
      assert.is(page.response.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(page.html, `href="${DOCS_URL}/api-reference/errors"`)
      const plain = await call(stage, path, { key: null })
      assert.equal([plain.status, (await jsonOf(plain)).error.code], [404, 'route_not_found'])
    }
  },
)

Docs(
  'examples speak to the host that serves the page, and no host can write into it',
  async ({ stage }) => {
    const { port } = new URL(stage.url)
    const asHost = (host: string) =>
      new Promise<string>((resolve, reject) => {
        const headers = { host, ...BROWSER }
        const path = '/docs/api-reference/quickstart'
        request({ port, path, headers, host: '127.0.0.1', agent: false }, (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (piece) => {
            text += piece
          })
          response.on('end', () => resolve(text))
        })
          .on('error', reject)
          .end()
      })
    assert.match(await asHost('api.example.com'), 'curl http://api.example.com/v1/chat/completions')
    assert.match(await asHost('[::1]:8080'), 'curl http://[::1]:8080/v1/chat/completions')
    for (const host of ['a"><script>', "a'$(id)", 'a b<i>']) {
      const html = await asHost(host)
      assert.not.match(html, host)
      // What is no host gives way to the one that the operator named.
      if (html.includes('<h1')) assert.match(html, `curl ${DOCS_URL}/v1/chat/completions`)
    }
  },
)

Docs('a caller that names no host is told that of the operator', async ({ stage }) => {
  const old = 'GET /docs/api-reference/quickstart HTTP/1.0\r\n\r\n'
  assert.match(await exchangeRaw(stage.url, old), `curl ${DOCS_URL}/v1/chat/completions`)
})

Docs('behind a trusted proxy the address is the proxy’s', async () => {
  const stage = await openStage({ trustProxy: true })
  try {
    const { html } = await read(stage, '/docs/api-reference/quickstart', {
      'x-forwarded-host': 'api.example.com',
      'x-forwarded-proto': 'https',
    })
    assert.match(html, 'curl https://api.example.com/v1/chat/completions')
  } finally {
    await stage.close()
  }
})

Docs.run()

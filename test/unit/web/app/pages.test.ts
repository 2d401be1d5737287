import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cheapestOf } from '../../../../src/web/app/api/network-queries.ts'
import { isAt, isOpenPage, OPEN_PAGES } from '../../../../src/web/app/shell/open-pages.ts'

const Pages = suite('pages of the web app')

Pages('a page is marked in the navigation with those below it, and no other', () => {
  assert.is(isAt('/jobs/job_1', '/jobs'), true)
  assert.is(isAt('/jobsearch', '/jobs'), false)
  assert.is(isAt('/jobs', '/'), false)
})

Pages('whoever is not signed in is offered it where a page does not ask for it', () => {
  for (const path of ['/models', '/workers/0x12', '/explorer/tx/0x12', '/governance']) {
    assert.is(isOpenPage(path), true, path)
  }
  for (const path of ['/', '/buy', '/jobs/job_1', '/settings', '/no-such-page']) {
    assert.is(isOpenPage(path), false, path)
  }
})

Pages('a first try is made with the cheapest model, the first of several', () => {
  const model = (id: string, credits_per_request: number) =>
    ({ id, svc: { credits_per_request } }) as Parameters<typeof cheapestOf>[0][number]
  assert.is(cheapestOf([model('max', 40), model('lite', 2), model('lite too', 2)])?.id, 'lite')
  assert.is(cheapestOf([]), undefined)
})

Pages('crawlers are let at the pages that show something to everybody, and at no other', () => {
  const robots = readFileSync('src/web/app/public/robots.txt', 'utf8')
  const allowed = [...robots.matchAll(/^Allow: (\S+)$/gm)].map(([, path]) => path ?? '')
  const pages = allowed.filter((path) => !/[/.]/.test(path.slice(1)))
  // The playground is a tool: it has nothing to find.
  const links = [...OPEN_PAGES].filter((path) => path !== '/playground')
  assert.equal(pages, links.sort())
  assert.match(robots, /^Disallow: \/$/m)
})

Pages.run()

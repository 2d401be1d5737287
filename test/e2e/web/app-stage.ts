import type { Page } from 'playwright-core'
import type { Test } from 'uvu'
import { type FakeWeb, startFakeWeb } from '../../fakes/web/fake-api.ts'
import { type FakeHouse, makeFakeHouse } from '../../fakes/web/fake-house.ts'
import { type FakeRpc, startFakeRpc } from '../../fakes/web/fake-rpc.ts'
import { type Browser, type BrowserOptions, openBrowser } from './browser.ts'
import { builtWebApp } from './built-web-app.ts'

/** The app over an API with something in every state, anew for each test of the suite. */
export function stageApp(App: Test) {
  let rpc: FakeRpc
  let house: FakeHouse
  let web: FakeWeb
  App.before(async () => {
    await builtWebApp()
    rpc = await startFakeRpc()
  })
  App.before.each(async () => {
    house = makeFakeHouse(rpc.url, Date.now())
    web = await startFakeWeb(house)
  })
  App.after.each(() => web?.stop())
  App.after(() => rpc?.stop())

  async function inBrowser(
    view: Omit<BrowserOptions, 'origins'>,
    work: (browser: Browser) => Promise<void>,
  ): Promise<void> {
    const browser = await openBrowser({ ...view, origins: [web.url, rpc.url] })
    try {
      await work(browser)
    } finally {
      // What the page asks again by itself may be on its way.
      await browser.page.unrouteAll({ behavior: 'ignoreErrors' })
      await browser.stop()
    }
  }

  return {
    inBrowser,
    get house() {
      return house
    },
    get url() {
      return web.url
    },
    /** Method and path of what the page has asked the API. */
    get asked() {
      return web.asked
    },
    get rpcUrl() {
      return rpc.url
    },
    /** What the chain says, by method, until the end of the suite. */
    get chain() {
      return rpc.results
    },
  }
}

export const walletButton = (page: Page) => page.getByRole('button', { name: /Development wallet/ })

export async function signIn(page: Page, heading = 'Overview'): Promise<void> {
  await walletButton(page).click()
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

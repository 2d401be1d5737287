import type { Page } from 'playwright-core'
import type { ChainHouse } from '../../fakes/web/chain-house.ts'
import { type Browser, type BrowserOptions, openBrowser } from './browser.ts'

export type View = Omit<BrowserOptions, 'origins'>

/** Waits until it can be pressed: the page has to hear of the chain's new state first. */
export async function press(page: Page, name: string, done: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByText(done, { exact: true }).waitFor()
}

/** A browser on the pages of a house; the development wallet that it finds there is the worker's. */
export async function inBrowser(
  house: ChainHouse,
  view: View,
  work: (browser: Browser) => Promise<void>,
): Promise<void> {
  const origins = [house.web.url, house.chain.rpcUrl]
  const browser = await openBrowser({ ...view, origins })
  try {
    await browser.page.addInitScript(
      `if (!localStorage.getItem('svc.development-wallet.key'))
         localStorage.setItem('svc.development-wallet.key', '${house.workerKey}')`,
    )
    await work(browser)
  } finally {
    await browser.stop()
  }
}

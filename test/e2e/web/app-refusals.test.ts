import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { signIn, stageApp, walletButton } from './app-stage.ts'

/** Browsers that refuse what others give, and what the app makes of them. */
const Refusals = suite('web app: what a browser refuses')
const app = stageApp(Refusals)

/** As in a browser that blocks cookies: the very question for a storage is refused. */
const NO_STORAGE = `for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, {
    get() { throw new DOMException('The operation is insecure.', 'SecurityError') },
  })
}`

Refusals('without cookies: open pages stand, and a sign-in says what is missing', async () => {
  await app.inBrowser({}, async ({ context, page, complaints }) => {
    await page.addInitScript(NO_STORAGE)
    for (const [path, heading] of [
      ['/models', 'Models'],
      ['/playground', 'Playground'],
      ['/governance', 'Governance'],
    ] as const) {
      await page.goto(`${app.url}${path}`)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await page.getByRole('link', { name: 'Sign in' }).waitFor()
    }
    await walletButton(page).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    // The page before has wallets to choose from as well.
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    assert.is(complaints.filter((each) => each.includes('insecure')).length, 0)

    await page.route('**/api/session', async (route) => {
      await context.clearCookies()
      await route.fallback()
    })
    await walletButton(page).click()
    await page.getByRole('alert').filter({ hasText: 'blocks the cookies of this site' }).waitFor()
    assert.ok(await walletButton(page).isEnabled())
  })
})

Refusals('without storage, but with cookies: a session outlives a reload', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.addInitScript(NO_STORAGE)
    await page.goto(`${app.url}/settings`)
    await signIn(page, 'Settings')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await walletButton(page).waitFor()
  })
})

Refusals.run()

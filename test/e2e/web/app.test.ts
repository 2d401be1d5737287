import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../until.ts'
import { signIn, stageApp, walletButton } from './app-stage.ts'
import { seriousFaults } from './axe.ts'
import type { BrowserOptions } from './browser.ts'

/** The app in a real browser, over an API with something in every state. */
const App = suite('web app')

const FAILED_WEBHOOK = `/webhooks/wh_${'a'.repeat(24)}`
const PAGES = [
  ['/', 'Overview'],
  ['/buy', 'Buy credits'],
  ['/withdraw', 'Withdraw'],
  ['/history', 'History'],
  ['/playground', 'Playground'],
  ['/jobs', 'Jobs'],
  [`/jobs/job_${'26'.padStart(26, '0')}`, 'Job'],
  ['/models', 'Models'],
  ['/network', 'Network'],
  ['/key', 'API key'],
  ['/webhooks', 'Webhooks'],
  [FAILED_WEBHOOK, 'Webhook'],
  ['/settings', 'Settings'],
  ['/no-such-page', 'There is no such page'],
] as const

const app = stageApp(App)

const VIEWS: readonly Omit<BrowserOptions, 'origins'>[] = [
  { colorScheme: 'light', size: { width: 1280, height: 900 } },
  { colorScheme: 'dark', size: { width: 390, height: 844 } },
]
for (const view of VIEWS) {
  App(`every page stands, ${view.colorScheme} and ${view.size?.width} wide`, async () => {
    await app.inBrowser(view, async ({ page, complaints }) => {
      await page.goto(app.url)
      await walletButton(page).waitFor()
      assert.equal(await seriousFaults(page), [], 'sign-in')
      await signIn(page)
      for (const [path, heading] of PAGES) {
        await page.goto(`${app.url}${path}`)
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
        await settled(page)
        assert.equal(await seriousFaults(page), [], path)
        // Of this page; its list, or what its address begins with, is another one.
        assert.is(await page.locator('main [aria-current="page"]').count(), 0, path)
        assert.is(await page.evaluate('document.title'), `${heading} · Prepaid inference`)
        const widest = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(widest) <= 0, `${path} is ${widest} px wider than the screen`)
      }
      assert.equal(complaints, [])
    })
  })
}

App(
  'letters of twice the size stay on a phone, and what is chosen is seen in few colours',
  async () => {
    await app.inBrowser({ size: { width: 320, height: 640 } }, async ({ page }) => {
      await page.addInitScript(`addEventListener('DOMContentLoaded', () => {
      document.documentElement.style.fontSize = '200%'
    })`)
      await page.emulateMedia({ forcedColors: 'active' })
      await page.goto(`${app.url}/webhooks`)
      await signIn(page, 'Webhooks')
      await page.getByRole('button', { name: 'Create a webhook' }).click()
      const paint = (which: string) =>
        page.evaluate(
          `getComputedStyle(document.querySelector('[type=checkbox]${which}')).backgroundColor`,
        )
      await page.getByRole('checkbox').first().waitFor()
      assert.is.not(await paint(':checked'), await paint(':not(:checked)'))
      for (const path of [
        '/',
        '/settings',
        '/buy',
        '/history',
        '/playground',
        '/models',
        '/network',
        '/governance',
        '/explorer',
        FAILED_WEBHOOK,
        `/jobs/job_${'26'.padStart(26, '0')}`,
      ]) {
        await page.goto(`${app.url}${path}`)
        await page.getByRole('button', { name: /^Account/ }).waitFor()
        await settled(page)
        for (const fold of await page.locator('summary').all()) await fold.click()
        const widest = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(widest) <= 0, `${path} is ${widest} px wider than the screen`)
      }
    })
  },
)

App('on a phone the pages are behind a menu, which closes by itself and by Escape', async () => {
  await app.inBrowser({ size: { width: 390, height: 844 } }, async ({ page }) => {
    await page.goto(app.url)
    await signIn(page)
    await page.getByRole('button', { name: 'Menu' }).click()
    const menu = page.getByRole('dialog')
    await menu.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor()
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Menu' }).click()
    await menu.waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await page.locator('[aria-label="Menu"]:focus').waitFor()
  })
})

App('a page opens at its top, and Back leads to where the reader was', async () => {
  await app.inBrowser({ size: { width: 390, height: 844 } }, async ({ page }) => {
    const scrolled = () => page.evaluate('scrollY').then(Number)
    await page.goto(`${app.url}/jobs`)
    await signIn(page, 'Jobs')
    await page.getByRole('main').getByRole('link', { name: /job_/ }).last().hover()
    const before = await scrolled()
    assert.ok(before > 0)
    await page.getByRole('main').getByRole('link', { name: /job_/ }).last().click()
    await focusedHeading(page, 'Job')
    await until('it is at the top', async () => (await scrolled()) === 0)
    await page.goBack()
    await focusedHeading(page, 'Jobs')
    await until('it is where it was', async () => (await scrolled()) === before)
  })
})

App('a session that ends asks to sign in, and the page goes on where it was', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/settings`)
    await signIn(page, 'Settings')
    await page.getByLabel('Threshold in credits').fill('250')
    app.house.endSessions()
    await page.getByRole('button', { name: 'Save' }).click()
    await signIn(page, 'Settings')
    assert.is(new URL(page.url()).pathname, '/settings')
  })
})

App('a threshold that was saved is said to be, where the reader still is', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/settings`)
    await signIn(page, 'Settings')
    const threshold = page.getByLabel('Threshold in credits')
    await threshold.fill('250')
    await threshold.press('Enter')
    await page.getByText('Saved: 250 credits.').waitFor()
    assert.is(await threshold.inputValue(), '250')
    assert.is(await page.evaluate('document.activeElement.tagName'), 'INPUT')
  })
})

App(
  'a key is shown once, until its owner says that it is stored; then it can be revoked',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      await page.goto(app.url)
      await signIn(page)
      await page.getByRole('link', { name: 'API key' }).first().click()
      await page.getByRole('button', { name: 'Create an API key' }).click()
      const dialog = page.getByRole('dialog')
      const shown = await dialog.getByTestId('api-key').textContent()
      assert.match(shown ?? '', /^svc_live_\w{32}$/)
      assert.match((await dialog.locator('pre').textContent()) ?? '', shown ?? '-')
      await page.keyboard.press('Escape')
      await page.goBack()
      await page.waitForURL('**/key')
      assert.is(await reloadAsks(page), 'beforeunload')
      assert.is(await dialog.getByTestId('api-key').textContent(), shown)
      assert.ok(await dialog.getByRole('button', { name: 'Done' }).isDisabled())
      await dialog.getByLabel('I stored it').check()
      await dialog.getByRole('button', { name: 'Done' }).click()
      await dialog.waitFor({ state: 'detached' })
      await focusedHeading(page, 'API key')
      assert.not.match((await page.content()) ?? '', shown ?? '-')

      await page.getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('button', { name: 'Revoke key' }).click()
      await page.getByText('You have no active key').waitFor()
      await focusedHeading(page, 'API key')
      assert.ok(app.asked.includes('DELETE /api/key'))
    })
  },
)

App(
  'a purchase below the minimum, or above what the wallet holds, is explained before it is sent',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      await page.goto(`${app.url}/buy`)
      await signIn(page, 'Buy credits')
      const amount = page.getByLabel('Credits to buy')
      await amount.fill('99')
      await page.getByText('At least 100 credits').waitFor()
      assert.ok(await page.getByRole('button', { name: /Sign to buy/ }).isDisabled())
      await amount.fill('2501')
      await page.getByText('Your wallet holds 25.00 USDG, and this costs 25.01 USDG').waitFor()
      await amount.fill('2500')
      const buy = page.getByRole('button', { name: 'Sign to buy 2,500 credits for 25.00 USDG' })
      await buy.waitFor()
      assert.ok(await buy.isEnabled())
    })
  },
)

App('an amount that is no whole number is told so, and never taken for another one', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/buy`)
    await signIn(page, 'Buy credits')
    const amount = page.getByLabel('Credits to buy')
    for (const text of ['100.5', '1.000', '1e3', '-500', '1,5']) {
      await amount.clear()
      await amount.pressSequentially(text)
      await page.getByText('Whole credits only').waitFor()
      assert.is(await amount.inputValue(), text)
      assert.ok(await page.getByRole('button', { name: 'Buy credits' }).isDisabled())
    }
    for (const text of [' 1,000 ', '１０００']) {
      await amount.fill(text)
      await page.getByRole('button', { name: 'Sign to buy 1,000 credits for 10.00 USDG' }).waitFor()
    }
    await page.goto(`${app.url}/settings`)
    await page.getByLabel('Threshold in credits').fill('2.5')
    await page.getByText('Whole credits only').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled())
  })
})

App('a balance that cannot be read says so, until it can', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(app.url)
    await signIn(page)
    const isChain = (url: URL) => url.origin === app.rpcUrl
    await page.route(isChain, (route) => route.abort())
    await page.getByRole('link', { name: 'Buy credits' }).first().click()
    await page.getByText('The chain did not answer.').waitFor()
    await page.unroute(isChain)
    await page.getByText('Your wallet holds 25.00 USDG').waitFor()
  })
})

App('a history without a movement so far offers to look further back', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.route('**/api/account/movements*', (route) =>
      route.fulfill({ json: { data: [], has_more: true, next_cursor: '1' } }),
    )
    await page.goto(`${app.url}/history`)
    await signIn(page, 'History')
    await page.getByText('Older blocks are still to be looked through.').waitFor()
    await page.unroute('**/api/account/movements*')
    await page.getByRole('button', { name: 'Show older ones' }).click()
    await page.getByText('+1,000 credits').waitFor()
  })
})

App('a failed webhook shows what was sent and answered, is enabled and replayed', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}${FAILED_WEBHOOK}`)
    await signIn(page, 'Webhook')
    await page.getByText('2 attempts, request and answers').click()
    await page.getByText('no answer: getaddrinfo ENOTFOUND').waitFor()
    await page.getByText('internal error').waitFor()
    await page.getByRole('button', { name: 'Enable again' }).click()
    await page.getByText('It gets nothing at the moment').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Replay all that failed' }).click()
    await page.getByText('On their way again: 1.').waitFor()
  })
})

App(
  'what a failed webhook was never sent is replayed by the time in which it happened',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      await page.goto(`${app.url}${FAILED_WEBHOOK}`)
      await signIn(page, 'Webhook')
      const replay = page.getByRole('button', { name: 'Replay', exact: true })
      assert.ok(await replay.isDisabled())
      await page.getByLabel('From').fill('2026-06-01T12:00')
      await page.getByLabel('To, or up to now').fill('2026-06-01T11:00')
      await page.getByText('Before it begins').waitFor()
      await page.getByLabel('To, or up to now').fill('')
      const asked = page.waitForRequest((request) => request.url().endsWith('/replay'))
      await replay.click()
      assert.is((await asked).postDataJSON().type, 'range')
      await page.getByText('On their way again: 1.').waitFor()
    })
  },
)

App('by keyboard alone: skip link, menu of pages, a webhook that is refused says why', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/webhooks`)
    await signIn(page, 'Webhooks')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await page.keyboard.press('Tab')
    assert.is(await page.evaluate('document.activeElement.textContent'), 'Skip to content')
    await page.getByRole('button', { name: 'Create a webhook' }).press('Enter')
    await page.getByLabel('URL').fill('http://example.com/hook')
    await page.evaluate('navigator.clipboard.writeText = async () => { throw new Error("no") }')
    await page.getByRole('button', { name: 'Copy secret' }).press('Enter')
    await page.getByRole('button', { name: 'Cannot copy secret' }).waitFor()
    assert.not(await page.getByLabel('I stored the secret').isChecked())
    await page.getByLabel('I stored the secret').press('Space')
    await page.getByRole('button', { name: 'Create', exact: true }).press('Enter')
    await page.getByText('Give an https address that the public internet can reach.').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('button:focus', { hasText: 'Create a webhook' }).waitFor()
  })
})

App('who presses a button by key is still there when its work has failed', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/settings`)
    await signIn(page, 'Settings')
    await page.route('**/api/settings', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.fallback(),
    )
    await page.getByLabel('Threshold in credits').fill('250')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByText('The service did not answer.').waitFor()
    await page.locator('button:focus', { hasText: 'Save' }).waitFor()
  })
})

/** Once navigation or a dialog has handed the focus to the page. */
const focusedHeading = (page: Page, text: string) =>
  page.locator('h1:focus', { hasText: new RegExp(`^${text}$`) }).waitFor()

/** Reloads, and says no to what the browser asks then. */
async function reloadAsks(page: Page): Promise<string> {
  const asked = page.waitForEvent('dialog')
  // The evaluation must have ended before the page stands still.
  await page.evaluate('void setTimeout(() => location.reload())')
  const question = await asked
  await question.dismiss()
  return question.type()
}

/** Nothing grey is left. */
const settled = (page: Page) =>
  page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })

App.run()

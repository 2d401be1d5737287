import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { signIn, stageApp, walletButton } from './app-stage.ts'

/** Other tabs, a sign-out, a session that ran out: what an open page does, and what it keeps. */
const Sessions = suite('web app: sessions that end')
const app = stageApp(Sessions)

Sessions('a sign-out, or another wallet, in one tab is noticed in the others', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    await page.goto(app.url)
    await signIn(page)
    const other = await context.newPage()
    await other.goto(app.url)
    const account = other.getByRole('button', { name: /^Account/ })
    await account.click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await walletButton(page).waitFor()

    await signIn(page)
    // It must not learn from a refusal that the session is over.
    await other.route('**/api/account', () => {})
    await other.goto(`${app.url}/settings`)
    const wallet = (await account.textContent()) ?? ''
    app.house.endSessions()
    await page.evaluate("localStorage.setItem('svc.development-wallet.key', '0x' + '1'.repeat(64))")
    await page.reload()
    await signIn(page)
    await account.filter({ hasNotText: wallet }).waitFor()
  })
})

Sessions('who signs in on an open page is on it afterwards, in every tab', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    await page.goto(`${app.url}/models`)
    const other = await context.newPage()
    await other.goto(`${app.url}/settings`)
    await walletButton(other).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByText('to open “Models”').waitFor()
    await signIn(page, 'Models')
    await page.getByRole('button', { name: /^Account/ }).waitFor()
    await other.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await page.goBack()
    assert.is(new URL(page.url()).pathname, '/models')
    for (const elsewhere of [
      'https://example.com/models',
      '//example.com',
      '/models@example.com',
    ]) {
      await page.goto(`${app.url}/sign-in?back=${encodeURIComponent(elsewhere)}`)
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      assert.is(page.url(), `${app.url}/`)
    }
  })
})

Sessions(
  'a tab that heard nothing of another wallet’s sign-in begins anew, and does nothing',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      await page.goto(`${app.url}/key`)
      await signIn(page, 'API key')
      await page.evaluate('window.isSame = true')
      const shown: (string | undefined)[] = []
      await page.route('**/api/key', async (route) => {
        if (route.request().method() !== 'POST') return route.fallback()
        shown.push(route.request().headers()['x-wallet'])
        const error = { code: 'other_wallet', message: 'Another wallet has signed in' }
        await route.fulfill({ status: 409, json: { error } })
      })
      await page.getByRole('button', { name: 'Create an API key' }).click()
      await page.waitForFunction('window.isSame === undefined')
      await page.getByRole('heading', { level: 1, name: 'API key' }).waitFor()
      assert.is(shown.length, 1)
      assert.match(shown[0]!, /^0x[0-9a-f]{40}$/)
    })
  },
)

Sessions('a conversation outlives the last worker and the session; its key does not', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/key`)
    await signIn(page, 'API key')
    await page.getByRole('button', { name: 'Create an API key' }).click()
    await page.getByLabel('I stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Playground' }).click()
    await page.route(`${app.house.config.base_url}/chat/completions`, (route) => route.abort())
    await page.getByLabel('Your message').fill('Are you there?')
    await page.getByRole('button', { name: 'Send' }).click()
    const conversation = page.getByRole('log').filter({ hasText: 'did not answer' })
    await conversation.waitFor()

    await page.route('**/api/models', (route) => route.fulfill({ json: { data: [] } }))
    await page.getByText('No worker serves a model right now').waitFor()
    assert.ok(await conversation.isVisible())

    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('textbox', { name: 'API key' }).waitFor()
    assert.ok(await conversation.isVisible())
  })
})

Sessions('a conversation goes on while its page is left, for whoever left it', async () => {
  await app.inBrowser({}, async ({ page }) => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(`${app.house.config.base_url}/chat/completions`, async (route) => {
      await answered
      const text = JSON.stringify({ choices: [{ delta: { content: 'نعم، أنا هنا.' } }] })
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/event-stream' }
      await route.fulfill({ headers, body: `data: ${text}\n\ndata: [DONE]\n\n` })
    })
    await page.goto(`${app.url}/settings`)
    await signIn(page, 'Settings')
    const open = async (name: string) => {
      await page.getByRole('link', { name, exact: true }).first().click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
    }
    await open('Playground')
    await page.getByRole('textbox', { name: 'API key' }).fill(`svc_live_${'Ab12'.repeat(8)}`)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByLabel('Your message').fill('Are you there?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Credits are locked, a worker is asked').waitFor()
    await open('History')
    answer()
    await open('Playground')
    const said = page.getByTestId('answer').filter({ hasText: 'نعم' })
    await said.waitFor()
    // Else its full stop would stand at its beginning.
    const style = "getComputedStyle(document.querySelector('[data-testid=answer]'))"
    assert.is(await page.evaluate(`${style}.unicodeBidi`), 'plaintext')

    await open('History')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await walletButton(page).waitFor()
    await open('Playground')
    await page.getByRole('textbox', { name: 'API key' }).waitFor()
    assert.is(await page.getByRole('log').count(), 0)
  })
})

Sessions('a browser whose storage is full stays signed in, as its cookie says', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.addInitScript(`Storage.prototype.setItem = () => { throw new Error('full') }`)
    await page.goto(app.url)
    await signIn(page)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })
})

Sessions(
  'a page that did not come by https signs in, copies nothing by itself, signs out',
  async () => {
    await app.inBrowser({}, async ({ page, complaints }) => {
      // What browsers keep from such pages, as those of a network at home.
      await page.addInitScript(
        'delete Crypto.prototype.randomUUID; delete Navigator.prototype.clipboard',
      )
      await page.goto(`${app.url}/key`)
      await signIn(page, 'API key')
      await page.getByRole('button', { name: 'Create an API key' }).click()
      await page.getByRole('button', { name: 'Copy API key' }).click()
      await page.getByRole('button', { name: 'Cannot copy API key' }).waitFor()
      await page.getByLabel('I stored it').check()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: /^Account/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await walletButton(page).waitFor()
      assert.equal(complaints, [])
    })
  },
)

Sessions('a form whose session ends is there again after signing in', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/webhooks`)
    await signIn(page, 'Webhooks')
    await page.getByRole('button', { name: 'Create a webhook' }).click()
    const url = page.getByRole('textbox', { name: 'URL' })
    await url.fill('https://example.com/mine')
    const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue()
    await page.getByLabel('I stored the secret').check()
    app.house.endSessions()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await signIn(page, 'Webhooks')
    assert.is(await url.inputValue(), 'https://example.com/mine')
    assert.is(await page.getByRole('textbox', { name: 'Secret' }).inputValue(), secret)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await url.waitFor({ state: 'detached' })
  })
})

Sessions('a form is gone in every tab once somebody signs out in one', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    await page.goto(`${app.url}/webhooks`)
    await signIn(page, 'Webhooks')
    await page.getByRole('button', { name: 'Create a webhook' }).click()
    const url = page.getByRole('textbox', { name: 'URL' })
    await url.fill('https://example.com/mine')
    const other = await context.newPage()
    await other.goto(app.url)
    await other.getByRole('button', { name: /^Account/ }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await signIn(page, 'Webhooks')
    await page
      .getByRole('link', { name: /hooks.example.com/ })
      .first()
      .waitFor()
    assert.is(await url.count(), 0)
  })
})

/** As the browser tells of it where another tab has seen the end of the session first. */
async function endElsewhere(page: Page): Promise<void> {
  await page.evaluate("localStorage.removeItem('svc.signed-in')")
  await page.evaluate("dispatchEvent(new StorageEvent('storage', { key: 'svc.signed-in' }))")
  await walletButton(page).waitFor()
}

Sessions('what is typed when the session ends is there again after signing in', async () => {
  const pages = [
    ['buy', 'Buy credits', { 'Credits to buy': '250' }],
    ['withdraw', 'Withdraw', { 'Credits to withdraw': '300', 'Pay to': `0x${'e'.repeat(40)}` }],
    ['settings', 'Settings', { 'Threshold in credits': '250' }],
    [
      `jobs/job_${'26'.padStart(26, '0')}`,
      'Job',
      { 'The answer as you received it (optional)': 'Mine. 答え' },
    ],
  ] as const
  await app.inBrowser({}, async ({ page }) => {
    for (const [path, heading, typed] of pages) {
      await page.goto(`${app.url}/${path}`)
      await signIn(page, heading)
      const atOnce = page.getByRole('tab', { name: 'At once' })
      if (path === 'withdraw') await atOnce.click()
      for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text)
      await endElsewhere(page)
      await signIn(page, heading)
      if (path === 'withdraw') await atOnce.click()
      for (const [label, text] of Object.entries(typed))
        assert.is(await page.getByLabel(label).inputValue(), text, label)
      await endElsewhere(page)
    }
  })
})

Sessions('a key that is shown when the session ends is shown again after signing in', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/key`)
    await signIn(page, 'API key')
    await page.getByRole('button', { name: 'Create an API key' }).click()
    const key = page.getByTestId('api-key')
    const shown = await key.textContent()
    await endElsewhere(page)
    assert.is(await key.count(), 0)
    await signIn(page, 'API key')
    assert.is(await key.textContent(), shown)
  })
})

Sessions('a sign-out that did not come through says so where it was asked for', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(app.url)
    await signIn(page)
    await page.route(
      (url) => url.pathname === '/api/session',
      (route) => (route.request().method() === 'DELETE' ? route.abort() : route.fallback()),
    )
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('menuitem', { name: 'Sign out failed: try again' }).waitFor()
    await page.unroute((url) => url.pathname === '/api/session')
  })
})

Sessions.run()

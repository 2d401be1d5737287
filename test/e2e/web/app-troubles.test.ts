import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { signIn, stageApp, walletButton } from './app-stage.ts'

/** What befalls a page that is open: other tabs, a second click, a clock that runs out, a service that goes away. */
const Troubles = suite('web app: troubles')
const app = stageApp(Troubles)

Troubles('a sign-out, or another wallet, in one tab is noticed in the others', async () => {
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

Troubles('a conversation outlives the last worker and the session; its key does not', async () => {
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

Troubles('a double click on Send asks once, and stops nothing', async () => {
  await app.inBrowser({}, async ({ page }) => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(`${app.house.config.base_url}/chat/completions`, async (route) => {
      await answered
      const body = 'data: {"choices":[{"delta":{"content":"I am."}}]}\n\ndata: [DONE]\n\n'
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/event-stream' }
      await route.fulfill({ headers, body })
    })
    await page.goto(`${app.url}/playground`)
    await page.getByRole('textbox', { name: 'API key' }).fill(`svc_live_${'Ab12'.repeat(8)}`)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByLabel('Your message').fill('Are you there?')
    await page.getByRole('button', { name: 'Send' }).dblclick()
    answer()
    await page.getByTestId('answer').filter({ hasText: 'I am.' }).waitFor()
  })
})

Troubles(
  'a dispute that comes too late is told so, in the dialog where it was asked for',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      let until: string | null = new Date(Date.now() + 3_600_000).toISOString()
      await page.route('**/api/jobs/job_*', async (route) => {
        const response = await route.fetch()
        const life = { ...(await response.json()), disputable_until: until }
        await route.fulfill({ response, json: life })
      })
      await page.goto(`${app.url}/jobs/job_${'26'.padStart(26, '0')}`)
      await signIn(page, 'Job')
      await page.getByLabel(/^The answer as you received it/).fill('Something else')
      await page.getByRole('button', { name: 'Dispute this job' }).click()
      until = null
      const dialog = page.getByRole('dialog')
      await dialog.getByText('The time to dispute is over').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Open the dispute' }).isDisabled())
      await dialog.getByRole('button', { name: 'Not now' }).click()
      await page.getByRole('heading', { name: 'Dispute' }).waitFor({ state: 'detached' })
    })
  },
)

Troubles(
  'news that were refused once are followed again, and what was missed is asked for',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      const refused = page.waitForResponse((response) => response.status() === 503)
      await page.route('**/api/events', (route) => route.fulfill({ status: 503 }), { times: 1 })
      await page.goto(`${app.url}/history`)
      await signIn(page, 'History')
      await refused
      const followed = page.waitForResponse('**/api/events')
      const asked = page.waitForRequest('**/api/account/movements*')
      await followed
      await asked
    })
  },
)

Troubles.run()

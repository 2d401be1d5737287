import type { Route } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pause, until } from '../../until.ts'
import { signIn, stageApp, walletButton } from './app-stage.ts'

/**
 * What befalls a page that is open: a second click, a clock that runs out, an answer that is lost, a
 * network or a service that goes away. What ends its session: `app-sessions.test.ts`.
 */
const Troubles = suite('web app: troubles')
const app = stageApp(Troubles)

/** A wallet that says nothing until `answerLate()`, then gives its account after all. */
const SILENT_WALLET = `{
  const asked = []
  window.answerLate = () => asked.forEach((answer) => answer())
  const account = '0x' + '9'.repeat(40)
  const permission = { parentCapability: 'eth_accounts', caveats: [{ value: [account] }] }
  const request = ({ method }) => {
    if (method === 'eth_accounts') return Promise.resolve([])
    if (method === 'eth_chainId') return Promise.resolve('0x7a69')
    const said = method === 'wallet_requestPermissions' ? [permission] : [account]
    return new Promise((answer) => asked.push(() => answer(said)))
  }
  const info = { uuid: 'silent', name: 'Silent wallet', icon: 'data:,', rdns: 'test.silent' }
  const provider = { request, on: () => {}, removeListener: () => {} }
  const detail = Object.freeze({ info, provider })
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', announce)
}`

Troubles(
  'a wallet that does not answer is let go of, and changes nothing when it does',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      await page.addInitScript(SILENT_WALLET)
      await page.goto(`${app.url}/buy`)
      const silent = page.getByRole('button', { name: 'Silent wallet' })
      const asking = page.getByText('Asking your wallet for its address')
      await silent.click()
      await asking.waitFor()
      await page.getByRole('button', { name: 'Stop waiting' }).click()
      await asking.waitFor({ state: 'hidden' })
      await silent.click()
      await asking.waitFor()
      await signIn(page, 'Buy credits')
      const holds = page.getByText('Your wallet holds')
      await holds.waitFor()
      await page.evaluate('answerLate()')
      await page.waitForTimeout(500)
      assert.is(await page.getByText('Your wallet shows another account').count(), 0)
      assert.ok(await holds.isVisible())
    })
  },
)

Troubles('a double click does once what is asked for', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/webhooks`)
    await signIn(page, 'Webhooks')
    await page.getByRole('button', { name: 'Create a webhook' }).click()
    await page.getByRole('textbox', { name: 'URL' }).fill('https://example.com/mine')
    await page.getByLabel('I stored the secret').check()
    await page.getByRole('button', { name: 'Create', exact: true }).dblclick()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'API key' }).first().click()
    await page.getByRole('button', { name: 'Create an API key' }).dblclick()
    await page.getByTestId('api-key').waitFor()
    const made = ['POST /api/webhooks', 'POST /api/key']
    assert.equal(
      app.asked.filter((each) => made.includes(each)),
      made,
    )
  })
})

Troubles('the late answer to a form that was closed closes no other one', async () => {
  await app.inBrowser({}, async ({ page }) => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/api/webhooks', async (route) => {
      if (route.request().method() === 'POST') await answered
      await route.fallback()
    })
    await page.goto(`${app.url}/webhooks`)
    await signIn(page, 'Webhooks')
    const begin = async (url: string) => {
      await page.getByRole('button', { name: 'Create a webhook' }).click()
      await page.getByRole('textbox', { name: 'URL' }).fill(url)
      await page.getByLabel('I stored the secret').check()
    }
    await begin('https://example.com/first')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await begin('https://example.com/second')
    answer()
    await page.locator('a', { hasText: 'https://example.com/first' }).waitFor()
    const url = page.getByRole('textbox', { name: 'URL' })
    assert.is(await url.inputValue(), 'https://example.com/second')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await url.waitFor({ state: 'detached' })
  })
})

Troubles('what is typed while an older wish is saved stays to be saved', async () => {
  await app.inBrowser({}, async ({ page }) => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/api/settings', async (route) => {
      if (route.request().method() === 'PUT') await answered
      await route.fallback()
    })
    await page.goto(`${app.url}/settings`)
    await signIn(page, 'Settings')
    const field = page.getByLabel('Threshold in credits')
    await field.fill('250')
    await page.getByRole('button', { name: 'Save' }).click()
    await field.fill('300')
    answer()
    await page.getByText('Saved: 250 credits').waitFor()
    assert.is(await field.inputValue(), '300')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved: 300 credits').waitFor()
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

/** As where a device's clock was set by hand, or to another time zone's time. */
const clockAheadBy = (ms: number) => `{
  const Right = Date
  Date = class extends Right {
    constructor(...given) { given.length > 0 ? super(...given) : super(Right.now() + ${ms}) }
    static now() { return Right.now() + ${ms} }
  }
}`

for (const [name, minutes] of [
  ['ahead', 20],
  ['behind', -20],
] as const) {
  Troubles(
    `a device whose clock is ${name}: sign-in and what is counted down keep the service's time`,
    async () => {
      await app.inBrowser({}, async ({ page }) => {
        await page.addInitScript(clockAheadBy(minutes * 60_000))
        const until = new Date(Date.now() + 90_000).toISOString()
        await page.route('**/api/jobs/job_*', async (route) => {
          const response = await route.fetch()
          const life = { ...(await response.json()), disputable_until: until }
          await route.fulfill({ response, json: life })
        })
        const sent = page.waitForRequest(
          (request) => request.method() === 'POST' && request.url().endsWith('/api/session'),
        )
        await page.goto(`${app.url}/jobs/job_${'26'.padStart(26, '0')}`)
        await signIn(page, 'Job')
        const { message } = (await sent).postDataJSON() as { readonly message: string }
        const issuedAt = Date.parse(/^Issued At: (.+)$/m.exec(message)?.[1] ?? '')
        assert.ok(Math.abs(issuedAt - Date.now()) < 60_000, message)
        await page.getByText(/The time to do so ends in (?:1 min )?\d+ s,/).waitFor()
      })
    },
  )
}

Troubles(
  'a key whose only showing was lost is told apart from one that somebody has stored',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      const loseAnswer = async (route: Route) => {
        await route.fetch()
        await route.abort()
      }
      await page.goto(`${app.url}/key`)
      await signIn(page, 'API key')
      await page.route(
        (url) => url.pathname === '/api/key',
        (route) => (route.request().method() === 'POST' ? loseAnswer(route) : route.fallback()),
      )
      await page.getByRole('button', { name: 'Create an API key' }).click()
      const lost = page.getByRole('alert').filter({ hasText: 'Nobody has seen this key' })
      await lost.waitFor()
      await page.getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('button', { name: 'Revoke key' }).click()
      await page.getByText('You have no active key').waitFor()
      await lost.waitFor({ state: 'detached' })
    })
  },
)

Troubles('a history without news asks by itself', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.clock.install()
    await page.goto(`${app.url}/history`)
    await signIn(page, 'History')
    await page.getByRole('main').getByText('Purchase', { exact: true }).first().waitFor()
    const again = page.waitForRequest('**/api/account/movements*')
    await page.clock.runFor(16_000)
    await again
  })
})

Troubles('a history that is shown far back asks no more often', async () => {
  await app.inBrowser({}, async ({ page }) => {
    let asked = 0
    await page.route('**/api/account/movements*', async (route) => {
      const place = Number(new URL(route.request().url()).searchParams.get('before') ?? '0')
      const movement = { type: 'purchase', credits: 100 + place, usdg_value: 1, block_number: 1 }
      const data = [
        { ...movement, tx: `0x${place}`, at: new Date().toISOString(), counterparty: '0x' },
      ]
      await route.fulfill({ json: { data, has_more: true, next_cursor: `${place + 1}` } })
      asked++
    })
    await page.clock.install()
    await page.goto(`${app.url}/history`)
    await signIn(page, 'History')
    const rows = page.getByRole('main').getByText('Purchase', { exact: true })
    for (const shown of [1, 2, 3, 4]) {
      await rows.nth(shown - 1).waitFor()
      await page.getByRole('button', { name: 'Show older ones' }).click()
    }
    await rows.nth(4).waitFor()
    asked = 0
    for (let quarters = 0; quarters < 5; quarters++) {
      await page.clock.runFor(16_000)
      await pause(300)
    }
    await until('all are asked for again', async () => asked >= 5)
    assert.is(asked, 5)
  })
})

Troubles('a job list without news asks by itself', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.clock.install()
    await page.goto(`${app.url}/jobs`)
    await signIn(page, 'Jobs')
    await page.getByRole('main').getByRole('link', { name: /job_/ }).first().waitFor()
    const again = page.waitForRequest('**/api/jobs?*')
    await page.clock.runFor(16_000)
    await again
  })
})

Troubles(
  'without a network: said where it was asked for, and not sent by itself later',
  async () => {
    await app.inBrowser({}, async ({ context, page }) => {
      await page.goto(`${app.url}/settings`)
      await signIn(page, 'Settings')
      await page.getByLabel('Threshold in credits').fill('250')
      await context.setOffline(true)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The service did not answer.').waitFor()
      await context.setOffline(false)
      assert.not(await page.evaluate("document.querySelector('[data-loading]')"))
      assert.not(app.asked.includes('PUT /api/settings'))
      // As one says that has no line, and reaches the service on its own machine.
      await page.evaluate(`Object.defineProperty(navigator, 'onLine', { value: false })
      window.dispatchEvent(new Event('offline'))`)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved: 250 credits.').waitFor()
      await page.getByRole('link', { name: 'History' }).click()
      await page.getByRole('main').getByText('Purchase', { exact: true }).first().waitFor()
    })
  },
)

Troubles('a network that answers in the place of the service is no answer', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(`${app.url}/settings`)
    await signIn(page, 'Settings')
    const portal = { contentType: 'text/html', body: '<html>Sign in to this network</html>' }
    await page.route('**/api/account/movements*', (route) => route.fulfill(portal))
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByText('The service did not answer.').waitFor()
  })
})

Troubles('a page whose scripts do not come says so, and what to do', async () => {
  await app.inBrowser({}, async ({ page }) => {
    const said = page.getByText('The app has not started.')
    await page.goto(app.url)
    await walletButton(page).waitFor()
    assert.is(await said.count(), 0)
    // As where a load balancer asks a server that has another build for them.
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404 }))
    await page.reload()
    await said.waitFor()
  })
})

Troubles(
  'a page that does not come while the service is away leaves the app standing',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      await page.goto(app.url)
      await signIn(page)
      const away = (url: URL) =>
        url.pathname.startsWith('/assets/') || url.pathname.startsWith('/api/')
      await page.route(away, (route) => route.abort())
      await page.evaluate('window.isSame = true')
      await page.getByRole('link', { name: 'History' }).first().click()
      await page.getByText('The service did not answer').first().waitFor()
      await page.unroute(away)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { level: 1, name: 'History' }).waitFor()
      assert.is(await page.evaluate('window.isSame'), true, 'nothing was loaded anew')
    })
  },
)

Troubles.run()

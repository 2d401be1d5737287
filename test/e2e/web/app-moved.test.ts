import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stageApp } from './app-stage.ts'

const Moved = suite('web app: a service that moves to other contracts')
const app = stageApp(Moved)

const MINUTE_MS = 60_000

Moved('a page that stayed open says so, and leads to the new ones', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.clock.install()
    await page.goto(`${app.url}/models`)
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    const notice = page.getByRole('alert').filter({ hasText: 'has moved to other contracts' })
    const asked = page.waitForRequest('**/api/config')
    await page.clock.runFor(MINUTE_MS + 1_000)
    await (await asked).response()
    assert.is(await notice.count(), 0)

    const { config } = app.house
    const contracts = { ...config.contracts, job_escrow: `0x${'e'.repeat(40)}` }
    await page.route('**/api/config', (route) => route.fulfill({ json: { ...config, contracts } }))
    await page.clock.runFor(MINUTE_MS + 1_000)
    await notice.waitFor()
    await notice.getByRole('button', { name: 'Reload' }).click()
    await page.waitForLoadState()
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    await notice.waitFor({ state: 'detached' })
  })
})

Moved.run()

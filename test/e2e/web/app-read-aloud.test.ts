import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { signIn, stageApp } from './app-stage.ts'
import { seriousFaults } from './axe.ts'

/** What those hear who do not see the page, or work it by keys. */
const ReadAloud = suite('web app: read aloud')
const app = stageApp(ReadAloud)

ReadAloud('the menu of the account is one of items, and the first has the focus', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.goto(app.url)
    await signIn(page)
    await page.getByRole('button', { name: /^Account/ }).press('Enter')
    await page.locator('[role=menuitem]:focus', { hasText: 'Settings' }).waitFor()
    assert.equal(await seriousFaults(page), [])
    await page.keyboard.press('ArrowDown')
    await page.locator('[role=menuitem]:focus', { hasText: 'Sign out' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('button:focus', { hasText: '0x' }).waitFor()
  })
})

ReadAloud(
  'a page has one banner, beside a dialog too, and its name is in the navigation',
  async () => {
    await app.inBrowser({}, async ({ page }) => {
      await page.goto(`${app.url}/webhooks`)
      await signIn(page, 'Webhooks')
      await page.getByRole('navigation').getByRole('link', { name: 'Prepaid inference' }).waitFor()
      await page.getByRole('button', { name: 'Create a webhook' }).click()
      const dialog = page.getByRole('dialog', { name: 'Create a webhook' })
      await dialog.waitFor()
      assert.is(await dialog.getByRole('banner').count(), 0)
      assert.is(await page.getByRole('banner', { includeHidden: true }).count(), 1)
    })
  },
)

ReadAloud('what is wrong with what was sent is read out beside its field', async () => {
  await app.inBrowser({}, async ({ page }) => {
    for (const [path, field, button, said] of [
      ['/playground', 'API key', 'Use this key', 'Paste all of it'],
      ['/explorer', 'Transaction, block, address or job', 'Look it up', 'or the number of a block'],
      ['/workers', 'Address of a worker', 'Look it up', '40 hexadecimal digits'],
    ] as const) {
      await page.goto(`${app.url}${path}`)
      await page.getByRole('textbox', { name: field }).fill('x')
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('alert').filter({ hasText: said }).waitFor()
    }
  })
})

ReadAloud.run()

import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress, toJobId } from '../../../src/domain/ids.ts'
import { makeEscrowCaller } from '../../fakes/chain/escrow-caller.ts'
import { type Network, startNetwork } from '../../network/network.ts'
import { until } from '../../until.ts'
import { firstCustomer, jobSettles } from '../customer.ts'
import { seriousFaults } from './axe.ts'
import { type Browser, openBrowser } from './browser.ts'

/** From a chat in the playground to its proof on chain, in a browser, on a real network. */
const FirstJob = suite('first job')

/** Long, so that a slow machine can still dispute. */
const DISPUTE_WINDOW_SECONDS = '300'
const PATIENCE_MS = 45_000

let network: Network
let browser: Browser
let page: Page
let jobId: string

FirstJob.before(async () => {
  network = await startNetwork({ env: { DISPUTE_WINDOW_SECONDS } })
  browser = await openBrowser({
    origins: [network.web_url, network.rpc_url, network.base_url].map((url) => new URL(url).origin),
  })
  page = browser.page
  // The built-in wallet is that of the network's first customer, who has credits.
  await page.addInitScript(
    `localStorage.setItem('svc.development-wallet.key', '${network.wallet.private_key}')`,
  )
})
FirstJob.after(async () => {
  await browser?.stop()
  await network?.stop()
})

FirstJob('without signing in: what is served, and that all that is owed is there', async () => {
  await page.goto(`${network.web_url}/network`)
  await page.getByText('Everything is covered').waitFor()
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
  await go('Models')
  await page
    .getByRole('link', { name: /^Try it/ })
    .first()
    .click()
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
})

FirstJob('a key that is none is refused, and it is said what to do', async () => {
  await giveKey(`svc_live_${'0'.repeat(32)}`)
  await send('Hello')
  await page.getByText('Check the key, or create a new one').waitFor()
  await page.getByRole('button', { name: 'Use another key' }).click()
})

FirstJob('a chat shows its price before, its charge after, and streams', async () => {
  await giveKey(network.api_key)
  await page.getByText(/^Sending costs \d+ credits? \(/).waitFor()
  await send('Hello there')
  const receipt = page.getByRole('region', { name: 'Receipt' })
  await receipt.getByText(/^Charged \d+ credits? \(.* left$/).waitFor()
  assert.ok((await page.getByTestId('answer').last().textContent())?.trim())
  assert.equal(await seriousFaults(page), [])
  await receipt.getByRole('link', { name: 'Job and verification' }).click()
})

FirstJob('its job is shown to its wallet, with the answer filled in', async () => {
  await page.getByRole('button', { name: /Development wallet/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Job' }).waitFor()
  jobId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await page.getByText('Credits locked in escrow').waitFor()
  assert.ok(await answerField().inputValue())
})

FirstJob('every check of it holds against the chain', async () => {
  await jobSettles(firstCustomer(network), jobId)
  await page.getByText('settled', { exact: true }).waitFor()
  await verify()
  await page.getByText('Every check holds').waitFor()
  const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem')
  assert.is(await checks.count(), 8)
  assert.equal(await seriousFaults(page), [])
})

FirstJob('another text is found out, and can be disputed', async () => {
  await answerField().fill('something that no worker signed')
  await verify()
  await page.getByText('One check does not hold').waitFor()
  await page.getByRole('button', { name: 'Dispute this job' }).click()
  await page.getByRole('button', { name: 'Open the dispute' }).click()
  await page.getByText('The dispute is open').waitFor()
  await page.getByText('disputed', { exact: true }).waitFor()
})

FirstJob('the list finds it by its status', async () => {
  await go('Jobs')
  await page.getByRole('link', { name: jobId }).waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'failed' }).click()
  await page.getByText('No job fits these filters.').waitFor()
  await page.goBack()
  await page.getByRole('link', { name: jobId }).waitFor()
})

FirstJob('a rejected dispute shows the transaction and the time of its verdict', async () => {
  const arbiter = makeEscrowCaller({
    rpcUrl: network.rpc_url,
    contracts: { jobEscrow: toAddress(network.contracts.job_escrow) },
    privateKey: network.arbiter.private_key as `0x${string}`,
  })
  await arbiter.resolveDispute(toJobId(jobId), false)
  await jobSettles(firstCustomer(network), jobId)
  await page.getByRole('link', { name: jobId }).click()
  const verdict = page.getByRole('listitem').filter({ hasText: 'Dispute rejected' })
  await verdict.getByRole('link', { name: /^Transaction 0x/ }).waitFor()
  await verdict.getByText(/block \d+/).waitFor()
  assert.ok(Date.parse((await verdict.locator('time').getAttribute('datetime')) ?? ''))
})

FirstJob('the end of a long answer stays in view, unless its reader scrolls away', async () => {
  await page.setViewportSize({ width: 390, height: 500 })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Playground' }).click()
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
  for (const question of ['First', 'Second']) {
    await send(question)
    await page
      .getByRole('article')
      .filter({ hasText: question })
      .getByText(/^Charged/)
      .waitFor()
  }
  await distanceBecomes((px) => px <= NEAR_PX)
  // A browser tells of scrolling a frame late: by then more may have come.
  await page.evaluate(`${grow(200)}; scrollTo(0, 1e6); ${grow(900)}`)
  await distanceBecomes((px) => px <= NEAR_PX)
  await page.evaluate('scrollTo(0, 0)')
  await distanceBecomes((px) => px > NEAR_PX)
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  )
  assert.is(await page.evaluate('scrollY'), 0)
})

FirstJob('nothing else was complained of, and no request went elsewhere', () => {
  // The refused key above: browsers note every 401.
  const others = browser.complaints.filter((line) => !/401.*\/chat\/completions$/.test(line))
  assert.equal(others, [])
})

/** What the app takes for reading along. */
const NEAR_PX = 120
const grow = (px: number) => `document.body.style.paddingBottom = '${px}px'`
const FROM_END = 'document.documentElement.scrollHeight - innerHeight - scrollY'

/** Asked from outside: the policy of the page refuses what a script in it would evaluate. */
async function distanceBecomes(is: (px: number) => boolean): Promise<void> {
  let last = Number.NaN
  await until(
    () => `the end is ${last} px below what is in view`,
    async () => {
      last = Number(await page.evaluate(FROM_END))
      return is(last)
    },
    PATIENCE_MS,
  )
}

const answerField = () => page.getByLabel(/^The answer as you received it/)

const verify = () => page.getByRole('button', { name: 'Verify', exact: true }).click()

async function giveKey(key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await page.getByRole('button', { name: 'Use this key' }).click()
}

async function send(text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

async function go(name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

FirstJob.run()

import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultTerms } from '../../../src/chain/deploy/settings.ts'
import { makeRpc } from '../../../src/chain/rpc/json-rpc.ts'
import { type Network, startNetwork } from '../../network/network.ts'
import { workerKey } from '../../network/worker-keys.ts'
import { chat, firstCustomer, jobSettles } from '../customer.ts'
import { type Browser, openBrowser } from './browser.ts'

/** Whoever has nothing but a browser stakes and votes on a development network, and runs a worker. */
const Newcomer = suite('newcomer')

const MODEL = 'Qwen/Qwen3-8B'
const { votingDelaySeconds } = defaultTerms()

let network: Network
let worker: string

Newcomer.before(async () => {
  network = await startNetwork()
  const messages = [{ role: 'user', content: 'Hello' }]
  const answer = await chat(firstCustomer(network), { model: MODEL, messages, max_tokens: 8 })
  const job = await jobSettles(firstCustomer(network), String(answer.headers['x-svc-job-id']))
  worker = String(job.worker_address)
})
Newcomer.after(() => network?.stop())

Newcomer('the operator of a worker is told by its pool why it has no jobs', async () => {
  await inBrowser(async (page) => {
    const key = workerKey(network, worker)
    await page.addInitScript(`localStorage.setItem('svc.development-wallet.key', '${key}')`)
    await page.goto(`${network.web_url}/workers/${worker}`)
    await page.getByText('Sign in with the wallet that it is paid to').waitFor()
    await page.goto(network.web_url)
    await page.getByRole('button', { name: /Development wallet/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.goto(`${network.web_url}/workers/${worker}`)
    await page.getByText(/^Connected and ready, with no job now; \d+ finished/).waitFor()
    const reasons = page.getByRole('list', { name: 'Reasons' })
    await reasons
      .getByText(/in the last minute/)
      .first()
      .waitFor()
  })
})

Newcomer('takes test funds, stakes, delegates, proposes and votes by clicking', async () => {
  await inBrowser(async (page) => {
    await page.goto(`${network.web_url}/workers/${worker}`)
    await page.getByRole('button', { name: /Development wallet/ }).click()
    await page.getByText('Your wallet holds 0 RCOMPUTE').waitFor()
    await page.getByRole('button', { name: 'Get test funds' }).click()
    await page.getByText('Your wallet holds 50,000,000 RCOMPUTE').waitFor()
    await page.getByLabel('RCOMPUTE to stake').fill('1500')
    await press(page, 'Stake 1,500 RCOMPUTE', 'Staked')
    await page.getByText('Enough for the higher share').waitFor()

    await page.goto(`${network.web_url}/governance`)
    await page.getByText('You hold 49,998,500 RCOMPUTE').waitFor()
    await press(page, 'Vote myself', 'Your votes are delegated')
    await page.getByText('can vote with 49,998,500 RCOMPUTE').waitFor()
    // They count from the next second of the chain on, and the page asks until then.
    await page.getByLabel('Model').selectOption(MODEL)
    await page.getByLabel('Why').fill('Nobody asks for it.')
    await press(page, `Propose: retire ${MODEL}`, 'Proposed')
    await page.getByRole('link', { name: `Retire ${MODEL}` }).click()
    await page.getByText('Voting begins soon').waitFor()
    await pass(votingDelaySeconds + 1n)
    await page.getByLabel('For', { exact: true }).check()
    await press(page, 'Vote', 'Your vote is counted')
    await page.getByText('You have voted.').waitFor()
    await page.getByText('49,998,500 RCOMPUTE of 40,000,000 RCOMPUTE, reached').waitFor()
  })
})

async function pass(seconds: bigint): Promise<void> {
  const rpc = makeRpc(network.rpc_url)
  await rpc.call('evm_increaseTime', [Number(seconds)])
  await rpc.call('evm_mine', [])
  await rpc.close()
}

async function press(page: Page, name: string, done: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByText(done, { exact: true }).waitFor()
}

async function inBrowser(work: (page: Page) => Promise<void>): Promise<void> {
  const origins = [network.web_url, network.rpc_url].map((url) => new URL(url).origin)
  const browser: Browser = await openBrowser({ origins })
  try {
    await work(browser.page)
    assert.equal(browser.complaints, [])
  } finally {
    await browser.stop()
  }
}

Newcomer.run()

// Takes a picture of every page in every state that matters, on a real network, in four views:
//   node --import tsx test/e2e/web/screenshots.ts DIR [part of a name]
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type BrowserOptions, openBrowser } from './browser.ts'
import { type ShownNetwork, settledJob, startShownNetwork } from './shown-network.ts'

const [folder, wanted = ''] = process.argv.slice(2)
if (!folder) throw new Error('say where the pictures go: screenshots.ts DIR [part of a name]')

type View = Required<Omit<BrowserOptions, 'origins'>>
const LOOK_MS = 250
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const VIEWS: readonly (readonly [string, View])[] = [
  ['desktop-light', { size: DESKTOP, colorScheme: 'light' }],
  ['phone-dark', { size: PHONE, colorScheme: 'dark' }],
  ['desktop-dark', { size: DESKTOP, colorScheme: 'dark' }],
  ['phone-light', { size: PHONE, colorScheme: 'light' }],
]

type Shot = readonly [
  name: string,
  path: string,
  heading: string,
  before?: (page: Page) => Promise<unknown>,
]

const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).click()
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click()

const strangersShots = (shown: ShownNetwork): readonly Shot[] => [
  ['sign-in', '/', 'Sign in'],
  ['models', '/models', 'Models'],
  ['network', '/network', 'Network', (page) => page.getByText('Everything is covered').waitFor()],
  ['worker-stranger', `/workers/${shown.worker}`, 'Worker'],
  ['worker-unknown', `/workers/0x${'12'.repeat(20)}`, 'Worker'],
  ['proposal-stranger', `/governance/${shown.proposal}`, 'Proposal'],
  ['playground-no-key', '/playground', 'Playground'],
]

const newcomersShots: readonly Shot[] = [
  ['overview-new', '/', 'Overview'],
  ['buy-new', '/buy', 'Buy credits'],
  ['withdraw-new', '/withdraw', 'Withdraw'],
  ['history-new', '/history', 'History'],
  ['jobs-new', '/jobs', 'Jobs'],
  ['webhooks-new', '/webhooks', 'Webhooks'],
  ['key-new', '/key', 'API key'],
  ['key-created', '/key', 'API key', button('Create an API key')],
  ['governance-new', '/governance', 'Governance'],
  ['workers-new', '/workers', 'Workers'],
]

const customersShots = (shown: ShownNetwork): readonly Shot[] => {
  const { jobs, network } = shown
  const job = (id: string) => `/jobs/${id}`
  return [
    ['overview', '/', 'Overview'],
    ['buy', '/buy', 'Buy credits'],
    [
      'buy-too-little',
      '/buy',
      'Buy credits',
      (page) => page.getByLabel('Credits to buy').fill('50'),
    ],
    ['buy-transfer', '/buy', 'Buy credits', tab('QR or transfer')],
    ['withdraw', '/withdraw', 'Withdraw'],
    ['withdraw-alone', '/withdraw', 'Withdraw', tab('Without us')],
    ['history', '/history', 'History'],
    ['jobs', '/jobs', 'Jobs'],
    ['jobs-none', '/jobs?status=failed', 'Jobs'],
    ['job-settled', job(jobs.settled), 'Job'],
    ['job-verified', job(jobs.settled), 'Job', verified],
    ['job-dispute', job(jobs.settled), 'Job', disputing],
    ['job-disputed', job(jobs.disputed), 'Job'],
    ['job-refunded', job(jobs.refunded), 'Job'],
    ['job-rejected', job(jobs.rejected), 'Job'],
    ['job-unknown', job(`job_${'0'.repeat(26)}`), 'Job'],
    ['key', '/key', 'API key'],
    ['key-revoke', '/key', 'API key', button('Revoke')],
    ['webhooks', '/webhooks', 'Webhooks'],
    ['webhook-create', '/webhooks', 'Webhooks', button('Create a webhook')],
    ['webhook', `/webhooks/${shown.webhook}`, 'Webhook', delivery],
    ['settings', '/settings', 'Settings'],
    ['playground', '/playground', 'Playground', (page) => chatted(page, network.api_key)],
    ['workers', '/workers', 'Workers'],
    ['worker', `/workers/${shown.worker}`, 'Worker'],
    ['governance', '/governance', 'Governance'],
    ['proposal', `/governance/${shown.proposal}`, 'Proposal'],
    ['explorer', '/explorer', 'Explorer'],
    ['explorer-job', `/explorer/job/${jobs.refunded}`, 'Job on the chain'],
    ['explorer-wallet', `/explorer/address/${network.wallet.address}`, 'Address'],
    ['explorer-contract', `/explorer/address/${network.contracts.job_escrow}`, 'Address'],
    ['explorer-block', '/explorer/block/30', 'Block 30'],
    ['explorer-transaction', `/explorer/job/${jobs.settled}`, 'Transaction', firstTransaction],
    ['explorer-unknown', `/explorer/tx/0x${'12'.repeat(32)}`, 'Transaction'],
    ['not-found', '/no-such-page', 'There is no such page'],
  ]
}

const shotsOf = (shown: ShownNetwork): readonly Shot[] => [
  ...strangersShots(shown),
  ...newcomersShots,
  ...customersShots(shown),
]

const answerField = (page: Page) => page.getByLabel(/^The answer as you received it/)

async function verified(page: Page): Promise<void> {
  await button(/^Verify/)(page)
  await page.getByRole('list', { name: 'Checks' }).waitFor()
}

async function disputing(page: Page): Promise<void> {
  await answerField(page).fill('something that no worker signed')
  await verified(page)
  await button('Dispute this job')(page)
  await page.getByRole('button', { name: 'Open the dispute' }).waitFor()
}

async function delivery(page: Page): Promise<void> {
  await page.getByText('2 attempts, request and answers').first().click()
}

async function chatted(page: Page, key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await button('Use this key')(page)
  await page.getByLabel('Your message').fill('Explain escrow to me in three sentences.')
  await button('Send')(page)
  await page
    .getByRole('region', { name: 'Receipt' })
    .getByText(/^Charged/)
    .waitFor()
}

async function firstTransaction(page: Page): Promise<void> {
  const settled = page.getByRole('listitem').filter({ hasText: 'JobSettled' })
  await settled
    .getByRole('link', { name: /^0x\w{4}…\w{4}$/ })
    .first()
    .click()
  await page.getByRole('heading', { level: 1, name: 'Transaction' }).waitFor()
}

async function take(page: Page, origin: string, name: string, shot: Shot): Promise<void> {
  const [, path, heading, before] = shot
  await page.goto(`${origin}${path}`)
  if (before !== firstTransaction) {
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
  await settled(page)
  await before?.(page)
  await settled(page)
  const widest = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  if (widest > 0) console.log(`${name}: ${widest} px wider than the screen`)
  await page.screenshot({ path: join(folder!, `${name}.png`), fullPage: true })
}

/** Nothing grey is left, and what follows from what came has come. */
const settled = async (page: Page) => {
  const grey = page.getByRole('status', { name: 'Loading' }).first()
  for (let looks = 0; looks < 3; looks++) {
    await grey.waitFor({ state: 'detached' })
    await page.waitForTimeout(LOOK_MS)
  }
}

async function inView(shown: ShownNetwork, [viewName, view]: (typeof VIEWS)[number]) {
  const { network } = shown
  const origins = [network.web_url, network.rpc_url, network.base_url]
  const visit = async (shots: readonly Shot[], key: string | null) => {
    const wantedShots = shots.filter(([name]) => `${viewName}-${name}`.includes(wanted))
    if (wantedShots.length === 0) return
    const browser = await openBrowser({
      ...view,
      origins: origins.map((url) => new URL(url).origin),
    })
    try {
      const { page } = browser
      if (key) {
        await page.addInitScript(`localStorage.setItem('svc.development-wallet.key', '${key}')`)
        await page.goto(network.web_url)
        await page.getByRole('button', { name: /Development wallet/ }).click()
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      }
      for (const shot of wantedShots) {
        await take(page, network.web_url, `${viewName}-${shot[0]}`, shot).catch((error: Error) => {
          console.log(`${viewName}-${shot[0]}: ${error.message.split('\n')[0]}`)
        })
      }
      for (const complaint of browser.complaints) console.log(`${viewName}: ${complaint}`)
    } finally {
      await browser.stop()
    }
  }
  const newcomer = `0x${String(VIEWS.findIndex(([name]) => name === viewName) + 1).repeat(64)}`
  await visit(strangersShots(shown), null)
  await visit(newcomersShots, newcomer)
  await visit(customersShots(shown), network.wallet.private_key)
}

mkdirSync(folder, { recursive: true })
const shown = await startShownNetwork()
try {
  for (const view of VIEWS) {
    if (!shotsOf(shown).some(([name]) => `${view[0]}-${name}`.includes(wanted))) continue
    // The time to dispute one ends while the pictures of another view are taken.
    const settled = await settledJob(shown.network)
    await inView({ ...shown, jobs: { ...shown.jobs, settled } }, view)
  }
} finally {
  await shown.stop()
}

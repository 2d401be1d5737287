import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toJobId } from '../../../src/domain/ids.ts'
import { addressOf, KEYS, SETTINGS } from '../../fakes/chain/anvil.ts'
import { makeOperatorCaller } from '../../fakes/chain/operator-caller.ts'
import { type ChainHouse, startChainHouse } from '../../fakes/web/chain-house.ts'
import { signIn } from './app-stage.ts'
import { seriousFaults } from './axe.ts'
import { builtWebApp } from './built-web-app.ts'
import { inBrowser, press, type View } from './chain-stage.ts'

/** What the app reads from the chain itself, and what it sends there, on a real chain. */
const ChainPages = suite('web app: explorer and workers')

const { terms } = SETTINGS
const WORKER = addressOf(KEYS.worker)
const CUSTOMER = addressOf(KEYS.wallet)
const WEEK = 7 * 24 * 60 * 60

let house: ChainHouse

ChainPages.before(builtWebApp)
ChainPages.before.each(async () => {
  house = await startChainHouse()
})
ChainPages.after.each(() => house.stop())

ChainPages('the explorer finds a job, its settlement, and who was paid', async () => {
  await inBrowser(house, {}, async ({ page, complaints }) => {
    await page.goto(`${house.web.url}/explorer`)
    await page.getByRole('heading', { name: 'Latest blocks' }).waitFor()
    await lookUp(page, house.jobs.settled)
    const settled = page.getByRole('listitem').filter({ hasText: 'JobSettled' })
    await settled.getByText('8 credits').waitFor()
    await settled.getByText('0.06 USDG').waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'JobLocked' })
      .getByText('standard')
      .waitFor()

    await settled
      .getByRole('link', { name: /^0x\w{4}…\w{4}$/ })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: 'Transaction' }).waitFor()
    await page.getByText('settleBatch').waitFor()
    await page.getByText('Done', { exact: true }).waitFor()
    const skipped = page.getByRole('listitem').filter({ hasText: 'JobSkipped' })
    await skipped.getByText('NotLocked').waitFor()
    await skipped.getByText(house.jobs.skipped).waitFor()

    await lookUp(page, CUSTOMER)
    await page.getByText('992 credits available, worth 9.92 USDG').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'JobRefunded' }).waitFor()
    await page.getByText('A wallet.').waitFor()
    await lookUp(page, house.chain.contracts.jobEscrow)
    await page.getByText('Holds every wallet’s credits').waitFor()
    await lookUp(page, '1')
    await page.getByRole('heading', { level: 1, name: 'Block 1' }).waitFor()
    assert.equal(complaints, [])
  })
})

ChainPages('a transaction that is in no block yet is shown once it is there', async () => {
  const { rpc } = house.chain
  await rpc.call('evm_setAutomine', [false])
  await inBrowser(house, {}, async ({ page }) => {
    await page.goto(`${house.web.url}/explorer/tx/0x${'12'.repeat(32)}`)
    await page.getByText('The chain does not know this transaction yet').waitFor()
    const call = { from: WORKER, to: CUSTOMER, value: '0x1' }
    await rpc.call('anvil_impersonateAccount', [WORKER])
    const hash = await rpc.call<string>('eth_sendTransaction', [call])
    await page.goto(`${house.web.url}/explorer/tx/${hash}`)
    await page.getByText('In no block yet').waitFor()
    await rpc.call('evm_mine', [])
    await page.getByText('Done', { exact: true }).waitFor()
  })
})

ChainPages('a worker is paid, stakes, and takes its stake out again', async () => {
  await inBrowser(house, {}, async ({ page, complaints }) => {
    await page.goto(`${house.web.url}/workers/${WORKER}`)
    await page.getByText('The next part is free').waitFor()
    await page.getByText(house.jobs.settled).waitFor()
    await page.getByRole('button', { name: /Development wallet/ }).click()

    await house.pass(2n * terms.disputeSeconds)
    await press(page, 'Pay out 0.06 USDG', 'Earnings paid out')
    await page.getByLabel('RCOMPUTE to stake').fill('1500')
    await press(page, 'Stake 1,500 RCOMPUTE', 'Staked')
    await page.getByText('Enough for the higher share').waitFor()

    await page.getByLabel('RCOMPUTE to take out').fill('2000')
    await page.getByText('At stake are 1,500 RCOMPUTE.').waitFor()
    await page.getByLabel('RCOMPUTE to take out').fill('500')
    await press(page, 'Begin to take 500 RCOMPUTE out', 'The seven days have begun')
    await page.getByText('500 RCOMPUTE, can be withdrawn in').waitFor()
    await house.pass(WEEK)
    await press(page, 'Pay out 500 RCOMPUTE', 'Stake paid out')
    assert.equal(complaints, [])
  })
})

ChainPages('an owner sees all workers that are paid to the wallet', async () => {
  await inBrowser(house, {}, async ({ page, complaints }) => {
    await page.goto(house.web.url)
    await signIn(page)
    await page.goto(`${house.web.url}/workers`)
    await page.getByText('1 worker: 0.06 USDG earned and not paid out yet, 0 RCOMPUTE').waitFor()
    await page.getByText('It is connected to no pool.').waitFor()
    await page.getByText('0.06 USDG not paid out yet', { exact: true }).waitFor()
    assert.equal(complaints, [])
  })
})

ChainPages('whoever is not the worker is told what only its own key may do', async () => {
  await inBrowser(house, {}, async ({ page }) => {
    await page.goto(`${house.web.url}/workers/${WORKER}`)
    await page.evaluate('localStorage.removeItem("svc.development-wallet.key")')
    await page.evaluate(`localStorage.setItem("svc.development-wallet.key", "${KEYS.wallet}")`)
    await page.reload()
    await page.getByRole('button', { name: /Development wallet/ }).click()
    await page.getByText('Only the worker’s own key').waitFor()
    await page.getByText('you would give the stake away').waitFor()
  })
})

ChainPages(
  'an address with many events shows some of them, and more when it is asked',
  async () => {
    const { rpcUrl, contracts } = house.chain
    const jobs = Array.from({ length: 60 }, (_, i) => toJobId(`job_${`${i}`.padStart(26, '0')}`))
    await makeOperatorCaller({ rpcUrl, contracts }).lock(jobs, CUSTOMER)
    await inBrowser(house, {}, async ({ page }) => {
      await page.goto(`${house.web.url}/explorer/address/${CUSTOMER}`)
      const locked = page.getByRole('listitem').filter({ hasText: 'JobLocked' })
      await locked.first().waitFor()
      assert.is(await locked.count(), 50)
      await page.getByRole('button', { name: 'Look further back' }).click()
      await locked.nth(61).waitFor()
      await page.getByRole('listitem').filter({ hasText: 'Deposited' }).waitFor()
    })
  },
)

const VIEWS: readonly View[] = [
  { colorScheme: 'light', size: { width: 1280, height: 900 } },
  { colorScheme: 'dark', size: { width: 390, height: 844 } },
]
for (const view of VIEWS) {
  ChainPages(`every page stands, ${view.colorScheme} and ${view.size?.width} wide`, async () => {
    await inBrowser(house, view, async ({ page, complaints }) => {
      for (const [path, heading] of paths()) {
        await page.goto(`${house.web.url}${path}`)
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
        await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
        assert.equal(await seriousFaults(page), [], path)
        const widest = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(widest) <= 0, `${path} is ${widest} px wider than the screen`)
      }
      assert.equal(complaints, [])
    })
  })
}

const paths = () =>
  [
    ['/explorer', 'Explorer'],
    [`/explorer/job/${house.jobs.settled}`, 'Job on the chain'],
    [`/explorer/address/${CUSTOMER}`, 'Address'],
    [`/explorer/address/${house.chain.contracts.jobEscrow}`, 'Address'],
    ['/explorer/block/3', 'Block 3'],
    ['/explorer/tx/nonsense', 'Transaction'],
    ['/workers', 'Workers'],
    [`/workers/${WORKER}`, 'Worker'],
    [`/workers/${CUSTOMER}`, 'Worker'],
    ['/governance', 'Governance'],
    ['/governance/1', 'Proposal'],
  ] as const

async function lookUp(page: Page, what: string): Promise<void> {
  await page.goto(`${house.web.url}/explorer`)
  await page.getByLabel('Transaction, block, address or job').fill(what)
  await page.getByRole('button', { name: 'Look it up' }).click()
}

ChainPages.run()

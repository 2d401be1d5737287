import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Abi, encodeFunctionData, zeroHash } from 'viem'
import {
  computeGovernorAbi,
  jobEscrowAbi,
  modelRegistryAbi,
  rComputeAbi,
} from '../../../src/chain/abi.ts'
import { roleId } from '../../../src/chain/deploy/role-ids.ts'
import { type Address, toJobId } from '../../../src/domain/ids.ts'
import { buildWebApp, webAppIsCurrent } from '../../../src/network/web-app.mjs'
import { addressOf, KEYS, SETTINGS } from '../../fakes/chain/anvil.ts'
import { makeOperatorCaller } from '../../fakes/chain/operator-caller.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'
import { type ChainHouse, startChainHouse } from '../../fakes/web/chain-house.ts'
import { signIn } from './app-stage.ts'
import { seriousFaults } from './axe.ts'
import { type Browser, type BrowserOptions, openBrowser } from './browser.ts'

/** What the app reads from the chain itself, and what it sends there, on a real chain. */
const ChainPages = suite('web app: explorer, workers, governance')

const ROOT = resolve(import.meta.dirname, '../../..')
const { terms } = SETTINGS
const WORKER = addressOf(KEYS.worker)
const CUSTOMER = addressOf(KEYS.wallet)
const WEEK = 7 * 24 * 60 * 60
const MODEL = 'Qwen/Qwen3-8B'
/** Of a development node: 31337. */
const CHAIN_ID = '0x7a69'

let house: ChainHouse

ChainPages.before(async () => {
  if (!webAppIsCurrent(ROOT)) await buildWebApp(ROOT)
})
ChainPages.before.each(async () => {
  house = await startChainHouse()
})
ChainPages.after.each(() => house.stop())

ChainPages('the explorer finds a job, its settlement, and who was paid', async () => {
  await inBrowser({}, async ({ page, complaints }) => {
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
  await inBrowser({}, async ({ page }) => {
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
  await inBrowser({}, async ({ page, complaints }) => {
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
  await inBrowser({}, async ({ page, complaints }) => {
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
  await inBrowser({}, async ({ page }) => {
    await page.goto(`${house.web.url}/workers/${WORKER}`)
    await page.evaluate('localStorage.removeItem("svc.development-wallet.key")')
    await page.evaluate(`localStorage.setItem("svc.development-wallet.key", "${KEYS.wallet}")`)
    await page.reload()
    await page.getByRole('button', { name: /Development wallet/ }).click()
    await page.getByText('Only the worker’s own key').waitFor()
    await page.getByText('you would give the stake away').waitFor()
  })
})

ChainPages('a retirement is proposed, voted, queued and carried out', async () => {
  await inBrowser({}, async ({ page, complaints }) => {
    await page.goto(`${house.web.url}/governance`)
    await page.getByText('Nobody has proposed anything so far.').waitFor()
    await page.getByRole('button', { name: /Development wallet/ }).click()
    await page.getByText('A proposal needs 1,000,000 RCOMPUTE of votes').waitFor()
    await press(page, 'Vote myself', 'Your votes are delegated')
    // They count from the next block on.
    await house.pass(1)
    await page.getByLabel('Model').selectOption(MODEL)
    await page.getByLabel('Why').fill('Nobody asks for it.')
    await press(page, `Propose: retire ${MODEL}`, 'Proposed')

    await page.getByRole('link', { name: `Retire ${MODEL}` }).click()
    await page.getByText('Voting begins soon').waitFor()
    await page.getByText('Known once voting begins').waitFor()
    await house.pass(terms.votingDelaySeconds + 1n)
    await page.getByLabel('For', { exact: true }).check()
    await press(page, 'Vote', 'Your vote is counted')
    await page.getByText('You have voted.').waitFor()
    await house.pass(terms.votingPeriodSeconds)
    await press(page, 'Queue it in the timelock', 'It is in the timelock now')
    await house.pass(terms.timelockSeconds)
    await press(page, 'Carry it out', 'It is carried out')
    await page.getByText('is on notice').waitFor()
    await page.getByRole('link', { name: 'All proposals' }).click()
    await page.getByRole('heading', { name: 'Models on notice' }).waitFor()
    assert.equal(complaints, [])
  })
})

ChainPages(
  'what is to be sent next has its own fee or refusal, whatever was sent before',
  async () => {
    await inBrowser({}, async ({ page }) => {
      await page.goto(`${house.web.url}/governance`)
      await page.getByRole('button', { name: /Development wallet/ }).click()
      await press(page, 'Vote myself', 'Your votes are delegated')
      await house.pass(1)
      const propose = async () => {
        await page.getByLabel('Model').selectOption(MODEL)
        await page.getByLabel('Why').fill('Nobody asks for it.')
      }
      await propose()
      await press(page, `Propose: retire ${MODEL}`, 'Proposed')
      await propose()
      await page.getByText('This would be refused now: The proposal is in another state').waitFor()
      assert.is(await page.getByText('Proposed', { exact: true }).count(), 0)
      await page.getByLabel('Why').fill('Its successor is better.')
      await press(page, `Propose: retire ${MODEL}`, 'Proposed')

      // Both pass, and the second then finds the model on notice: the registry refuses, not the governor.
      await house.pass(terms.votingDelaySeconds + 1n)
      for (const nth of [0, 1]) {
        await openProposal(page, nth)
        await page.getByLabel('For', { exact: true }).check()
        await press(page, 'Vote', 'Your vote is counted')
      }
      await house.pass(terms.votingPeriodSeconds)
      for (const nth of [0, 1]) {
        await openProposal(page, nth)
        await press(page, 'Queue it in the timelock', 'It is in the timelock now')
      }
      await house.pass(terms.timelockSeconds)
      await openProposal(page, 1)
      await press(page, 'Carry it out', 'It is carried out')
      await openProposal(page, 0)
      await page
        .getByText('This would be refused now: The model is in another state by now.')
        .waitFor()
    })
  },
)

ChainPages(
  'a proposal is shown by its calls: which role, to whom, and what cannot be read',
  async () => {
    const { governor, jobEscrow, timelock } = house.chain.contracts
    const grant = encodeFunctionData({
      abi: jobEscrowAbi,
      functionName: 'grantRole',
      args: [roleId('SETTLER'), CUSTOMER],
    })
    const holder = makeWriter(house.chain.rpcUrl, house.workerKey)
    const send = (to: Address, abi: Abi, functionName: string, args: readonly unknown[]) =>
      holder.writeContract({ address: to, abi, functionName, args, chain: null })
    await send(house.chain.contracts.rCompute, rComputeAbi, 'delegate', [WORKER])
    await house.pass(1)
    const calls = [
      [jobEscrow, timelock],
      [0n, 3n],
      [grant, '0x12345678'],
    ] as const
    await send(governor, computeGovernorAbi, 'propose', [...calls, 'Nothing to see here.'])
    await inBrowser({}, async ({ page, complaints }) => {
      await page.goto(`${house.web.url}/governance`)
      await page.getByRole('link', { name: /JobEscrow\.grantRole/ }).click()
      await page.getByRole('heading', { name: 'What it would do' }).waitFor()
      const granted = page.getByRole('listitem').filter({ hasText: 'grantRole' })
      await granted.getByText('SETTLER_ROLE').waitFor()
      await granted.getByTitle(CUSTOMER).waitFor()
      const other = page.getByRole('listitem').filter({ hasText: 'cannot read' })
      await other.getByText('0x12345678').waitFor()
      await other.getByText('3 wei').waitFor()
      assert.equal(complaints, [])
    })
  },
)

ChainPages('models that votes do not rule: said, and no vote on them is proposed', async () => {
  const { rpc, contracts } = house.chain
  const { timelock: from, modelRegistry: to } = contracts
  const call = { functionName: 'renounceRole', args: [zeroHash, from] } as const
  await rpc.call('anvil_impersonateAccount', [from])
  await rpc.call('anvil_setBalance', [from, '0xde0b6b3a7640000'])
  const data = encodeFunctionData({ abi: modelRegistryAbi, ...call })
  await rpc.call('eth_sendTransaction', [{ from, to, data }])
  await inBrowser({}, async ({ page }) => {
    await page.goto(`${house.web.url}/governance`)
    await page.getByText('Models are not ruled by votes here').waitFor()
    await page.getByRole('button', { name: /Development wallet/ }).click()
    await page.getByLabel('Who votes with your RCOMPUTE').waitFor()
    assert.is(await page.getByLabel('Why').count(), 0)
  })
})

ChainPages('a form begins anew when the wallet shows another account', async () => {
  await inBrowser({}, async ({ page }) => {
    await page.addInitScript(switchingWallet([WORKER, CUSTOMER]))
    await page.goto(`${house.web.url}/governance`)
    const delegate = page.getByLabel('Who votes with your RCOMPUTE')
    for (const account of [CUSTOMER, WORKER, CUSTOMER, WORKER]) {
      await page.evaluate(`switchAccount('${account}')`)
      await page.getByText('You act with the wallet').getByTitle(account).waitFor()
      await delegate.waitFor()
      assert.is(await delegate.inputValue(), account)
    }
  })
})

const openProposal = async (page: Page, nth: number) => {
  await page.goto(`${house.web.url}/governance`)
  await page
    .getByRole('link', { name: `Retire ${MODEL}` })
    .nth(nth)
    .click()
}

/** A wallet in the page that shows one of its accounts, and tells when that is another one. */
const switchingWallet = (accounts: readonly string[]) => `{
  let shown = ${JSON.stringify(accounts)}[0]
  const hears = []
  window.switchAccount = (account) => {
    shown = account
    for (const hear of hears) hear([account])
  }
  const detail = Object.freeze({
    info: { uuid: crypto.randomUUID(), name: 'Two accounts', icon: 'data:,', rdns: 'two.accounts' },
    provider: {
      request: async ({ method }) => (method === 'eth_chainId' ? '${CHAIN_ID}' : [shown]),
      on: (event, hear) => event === 'accountsChanged' && hears.push(hear),
      removeListener: () => {},
    },
  })
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', announce)
}`

const VIEWS: readonly Omit<BrowserOptions, 'origins'>[] = [
  { colorScheme: 'light', size: { width: 1280, height: 900 } },
  { colorScheme: 'dark', size: { width: 390, height: 844 } },
]
ChainPages(
  'an address with many events shows some of them, and more when it is asked',
  async () => {
    const { rpcUrl, contracts } = house.chain
    const jobs = Array.from({ length: 60 }, (_, i) => toJobId(`job_${`${i}`.padStart(26, '0')}`))
    await makeOperatorCaller({ rpcUrl, contracts }).lock(jobs, CUSTOMER)
    await inBrowser({}, async ({ page }) => {
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

for (const view of VIEWS) {
  ChainPages(`every page stands, ${view.colorScheme} and ${view.size?.width} wide`, async () => {
    await inBrowser(view, async ({ page, complaints }) => {
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

/** Waits until it can be pressed: the page has to hear of the chain's new state first. */
async function press(page: Page, name: string, done: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByText(done, { exact: true }).waitFor()
}

async function inBrowser(
  view: Omit<BrowserOptions, 'origins'>,
  work: (browser: Browser) => Promise<void>,
): Promise<void> {
  const origins = [house.web.url, house.chain.rpcUrl]
  const browser = await openBrowser({ ...view, origins })
  try {
    // The browser's own wallet is the worker's.
    await browser.page.addInitScript(
      `if (!localStorage.getItem('svc.development-wallet.key'))
         localStorage.setItem('svc.development-wallet.key', '${house.workerKey}')`,
    )
    await work(browser)
  } finally {
    await browser.stop()
  }
}

ChainPages.run()

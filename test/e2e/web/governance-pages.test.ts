import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Abi, createPublicClient, encodeFunctionData, http, zeroHash } from 'viem'
import {
  computeGovernorAbi,
  jobEscrowAbi,
  modelRegistryAbi,
  rComputeAbi,
} from '../../../src/chain/abi.ts'
import { roleId } from '../../../src/chain/deploy/role-ids.ts'
import type { Address } from '../../../src/domain/ids.ts'
import { addressOf, KEYS, SETTINGS } from '../../fakes/chain/anvil.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'
import { type ChainHouse, startChainHouse } from '../../fakes/web/chain-house.ts'
import { builtWebApp } from './built-web-app.ts'
import { inBrowser, press } from './chain-stage.ts'

/** What holders of the token see, propose and vote in the app, on a real chain. */
const Governance = suite('web app: governance')

const { terms } = SETTINGS
const WORKER = addressOf(KEYS.worker)
const CUSTOMER = addressOf(KEYS.wallet)
const MODEL = 'Qwen/Qwen3-8B'
/** Of a development node: 31337. */
const CHAIN_ID = '0x7a69'

let house: ChainHouse

Governance.before(builtWebApp)
Governance.before.each(async () => {
  house = await startChainHouse()
})
Governance.after.each(() => house.stop())

Governance('a retirement is proposed, voted, queued and carried out', async () => {
  await inBrowser(house, {}, async ({ page, complaints }) => {
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

Governance(
  'what is to be sent next has its own fee or refusal, whatever was sent before',
  async () => {
    await inBrowser(house, {}, async ({ page }) => {
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

Governance(
  'a proposal is shown by its calls: which role, to whom, and what cannot be read',
  async () => {
    const { governor, jobEscrow, timelock } = house.chain.contracts
    const grant = encodeFunctionData({
      abi: jobEscrowAbi,
      functionName: 'grantRole',
      args: [roleId('SETTLER'), CUSTOMER],
    })
    const { rpcUrl } = house.chain
    const holder = makeWriter(rpcUrl, house.workerKey)
    const reader = createPublicClient({ transport: http(rpcUrl) })
    const send = async (to: Address, abi: Abi, functionName: string, args: readonly unknown[]) => {
      const call = { address: to, abi, functionName, args, chain: null }
      await mined(reader, await holder.writeContract(call))
    }
    await send(house.chain.contracts.rCompute, rComputeAbi, 'delegate', [WORKER])
    await house.pass(1)
    const calls = [
      [jobEscrow, timelock],
      [0n, 3n],
      [grant, '0x12345678'],
    ] as const
    await send(governor, computeGovernorAbi, 'propose', [...calls, 'Nothing to see here.'])
    await inBrowser(house, {}, async ({ page, complaints }) => {
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

Governance('models that votes do not rule: said, and no vote on them is proposed', async () => {
  const { rpc, contracts } = house.chain
  const { timelock: from, modelRegistry: to } = contracts
  const call = { functionName: 'renounceRole', args: [zeroHash, from] } as const
  await rpc.call('anvil_impersonateAccount', [from])
  await rpc.call('anvil_setBalance', [from, '0xde0b6b3a7640000'])
  const data = encodeFunctionData({ abi: modelRegistryAbi, ...call })
  await rpc.call('eth_sendTransaction', [{ from, to, data }])
  await inBrowser(house, {}, async ({ page }) => {
    await page.goto(`${house.web.url}/governance`)
    await page.getByText('Models are not ruled by votes here').waitFor()
    await page.getByRole('button', { name: /Development wallet/ }).click()
    await page.getByLabel('Who votes with your RCOMPUTE').waitFor()
    assert.is(await page.getByLabel('Why').count(), 0)
  })
})

Governance('a form begins anew when the wallet shows another account', async () => {
  await inBrowser(house, {}, async ({ page }) => {
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

Governance.run()

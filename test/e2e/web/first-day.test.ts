import type { Page, Route } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createPublicClient, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { makeRpc } from '../../../src/chain/rpc/json-rpc.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { replaceWord } from '../../fakes/chain/registry-voter.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'
import { type Receiver, startReceiver } from '../../fakes/webhooks/receiver.ts'
import { type Network, startNetwork } from '../../network/network.ts'
import { until } from '../../until.ts'
import { type Browser, openBrowser } from './browser.ts'

/** The first day of a customer, who has nothing but a browser, on a real network. */
const FirstDay = suite('first day')

const PATIENCE_MS = 45_000
const THAW_SECONDS = 300

/** While `window.declines`, whoever is asked for a signature says no. */
const WALLET_THAT_MAY_DECLINE = `
  addEventListener('eip6963:announceProvider', ({ detail: { provider } }) => {
    if (provider.mayDecline) return
    const ask = provider.request
    provider.mayDecline = true
    provider.request = async (call) => {
      const no = window.declines && /sign|send/i.test(call.method)
      if (no) throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
      return ask(call)
    }
  })
`

let network: Network
let receiver: Receiver
let browser: Browser
let page: Page

FirstDay.before(async () => {
  receiver = await startReceiver()
  // Two attempts soon after one another, then the webhook has failed.
  network = await startNetwork({ env: { WEBHOOK_RETRY_SECONDS: '0,1' } })
  browser = await openBrowser({
    origins: [network.web_url, network.rpc_url].map((url) => new URL(url).origin),
  })
  page = browser.page
  await page.addInitScript(WALLET_THAT_MAY_DECLINE)
})
FirstDay.after(async () => {
  await browser?.stop()
  await network?.stop()
  await receiver?.close()
})

FirstDay('signs in, and is shown an empty balance and the first steps', async () => {
  await page.goto(network.web_url)
  await page.getByRole('button', { name: /Development wallet/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  assert.is(await available(), 0)
})

FirstDay('buys credits with one signature, though the first answer is lost', async () => {
  await go('Buy credits')
  await page.getByRole('button', { name: 'Get test funds' }).click()
  await page.getByText('Test funds have arrived in your wallet.').waitFor()
  await page.getByLabel('Credits to buy').fill('500')
  const deposits = `${network.web_url}/api/deposits`
  const loseAnswer = async (route: Route) => {
    await route.fetch()
    await route.abort()
  }
  await page.route(deposits, loseAnswer, { times: 1 })
  const buy = page.getByRole('button', { name: 'Sign to buy 500 credits for 5.00 USDG' })
  await buy.click()
  await page.getByText('It may have been done all the same').waitFor()
  // What was signed is handed in again: nobody is asked for a second signature, or pays twice.
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Buy credits' }).waitFor()
  await page.getByLabel('Credits to buy').fill('500')
  await page.evaluate('window.declines = true')
  await buy.click()
  await page.getByText('Bought 500 credits').waitFor()
  await page.evaluate('window.declines = false')
  await availableBecomes((credits) => credits === 500)
})

FirstDay('a signature that is declined costs nothing, and says so', async () => {
  await go('Buy credits')
  await page.getByLabel('Credits to buy').fill('150')
  await page.evaluate('window.declines = true')
  await page.getByRole('button', { name: 'Sign to buy 150 credits for 1.50 USDG' }).click()
  await page.getByText('You declined it in your wallet.').waitFor()
  await page.getByText('Nothing was sent and nothing was spent.').waitFor()
  assert.is(await page.getByLabel('Credits to buy').inputValue(), '150')
  await page.evaluate('window.declines = false')
  await availableBecomes((credits) => credits === 500)
})

FirstDay('where the service cannot send it, the wallet sends what it signed, once', async () => {
  const buy = page.getByRole('button', { name: 'Buy 100 credits for 1.00 USDG' })
  const bought = page.getByText('Bought 100 credits')
  await wantInVain({ isSent: false })
  await buy.click()
  await bought.waitFor()
  await availableBecomes((credits) => credits === 600)

  // It was sent all the same: that is found, and nothing is left to ask the wallet for.
  await wantInVain({ isSent: true })
  const account = `${network.web_url}/api/account`
  await until(
    'it is paid',
    async () => {
      const answer = await page.context().request.get(account)
      return (await answer.json()).credits_remaining === 700
    },
    PATIENCE_MS,
  )
  await page.evaluate('window.declines = true')
  await buy.click()
  await bought.waitFor()
  await page.evaluate('window.declines = false')
  await availableBecomes((credits) => credits === 700)
})

FirstDay('another purchase the wallet pays with a permit', async () => {
  await wantInVain({ isSent: false })
  await page.getByLabel('Credits to buy').fill('110')
  await page.getByText('You sign a permit for exactly this amount').waitFor()
  await page.getByRole('button', { name: 'Buy 110 credits for 1.10 USDG' }).click()
  await page.getByText('Bought 110 credits').waitFor()
  await availableBecomes((credits) => credits === 810)
})

/** Asks for 100 credits; the service says that it cannot send them, and the wallet is to. */
async function wantInVain({ isSent }: { readonly isSent: boolean }): Promise<void> {
  const deposits = `${network.web_url}/api/deposits`
  const error = { code: 'service_unavailable', message: 'We cannot send the purchase for you.' }
  const refuse = async (route: Route) => {
    if (isSent) await route.fetch()
    await route.fulfill({ status: 503, json: { error } })
  }
  await page.route(deposits, refuse, { times: 1 })
  await go('Overview')
  await go('Buy credits')
  await page.getByLabel('Credits to buy').fill('100')
  await page.getByRole('button', { name: 'Sign to buy 100 credits for 1.00 USDG' }).click()
  await page.getByText(error.message).waitFor()
  await page.getByRole('button', { name: 'Let my wallet send it instead' }).click()
}

FirstDay('pays by a plain transfer to the deposit address', async () => {
  await go('Buy credits')
  await page.getByRole('tab', { name: 'QR or transfer' }).click()
  await page.getByLabel('Credits to buy').fill('300')
  const link = await page.getByRole('link', { name: 'Open in a wallet' }).getAttribute('href')
  await page.getByText('Waiting for your transfer').waitFor()
  await payLink(link ?? '')
  await page.getByText('Your transfer has been credited').waitFor()
  await availableBecomes((credits) => credits === 1_110)
})

let apiKey: string
FirstDay('makes a key and has an answer with it', async () => {
  await go('API key')
  await page.getByRole('button', { name: 'Create an API key' }).click()
  const dialog = page.getByRole('dialog')
  apiKey = (await dialog.getByTestId('api-key').textContent()) ?? ''
  await dialog.getByLabel('I stored it').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  assert.is(await chatStatus(), 200)
  // Its price leaves the balance; what was locked beyond it comes back.
  await go('Overview')
  await availableBecomes((credits) => credits < 1_110 && credits > 1_010)
})

FirstDay('sets a webhook, watches a delivery fail and replays it', async () => {
  receiver.behave('hook', 500)
  await go('Webhooks')
  await page.getByRole('button', { name: 'Create a webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill(receiver.url('hook'))
  await dialog.getByLabel('I stored the secret').check()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('link', { name: receiver.url('hook') }).click()
  await page.getByRole('heading', { level: 1, name: 'Webhook' }).waitFor()
  await page.getByText('Nothing was sent yet.').waitFor()

  assert.is(await chatStatus(), 200)
  const delivery = page.getByRole('listitem').filter({ hasText: 'job.completed' })
  await delivery.getByText('failed', { exact: true }).waitFor()
  await page.getByText('It gets nothing at the moment').waitFor()
  await delivery.getByText('2 attempts, request and answers').click()
  await delivery
    .getByText(/answered 500/)
    .first()
    .waitFor()

  receiver.behave('hook', 200)
  await delivery.getByRole('button', { name: /^Replay job.completed/ }).click()
  const again = page.getByRole('listitem').filter({ hasText: 'job.completed' }).first()
  await again.getByText('delivered', { exact: true }).waitFor()
  await page.getByText('It gets nothing at the moment').waitFor({ state: 'detached' })
  const bodies = receiver.received('hook').map(({ body }) => body)
  assert.is(new Set(bodies).size, 1, 'each attempt carries the same event')
})

FirstDay('declines a withdrawal in the wallet, finds its credits kept, and sends it', async () => {
  await go('Withdraw')
  // More than half: what is left would not do for the same again.
  await page.getByLabel('Credits to withdraw').fill('500')
  await page.evaluate('window.declines = true')
  await page.getByRole('button', { name: 'Withdraw 500 credits as 5.00 USDG' }).click()
  await page.getByText('You declined it in your wallet.').waitFor()
  await page.getByText('500 credits are kept for the withdrawal you began').waitFor()
  await page.evaluate('window.declines = false')
  await page.getByRole('button', { name: 'Send it now' }).click()
  await page.getByText('Paid 5.00 USDG').waitFor()
  await page.getByText('500 credits are kept').waitFor({ state: 'detached' })
})

FirstDay('begins a withdrawal without the service, sees its countdown and cancels it', async () => {
  await go('Withdraw')
  await page.getByRole('tab', { name: 'Without us' }).click()
  await page.getByLabel('Credits to set aside').fill('100')
  await page.getByRole('button', { name: 'Set 100 credits aside' }).click()
  const underWay = page.getByRole('group', { name: 'Withdrawal under way' })
  await underWay.getByText('100 credits set aside').waitFor()
  await underWay.getByText(/in \d+ min|in \d+ s/).waitFor()
  await underWay.getByRole('button', { name: /Cancel/ }).click()
  await underWay.waitFor({ state: 'detached' })
})

FirstDay('is paid without the service once the waiting time is over', async () => {
  // Five minutes are fixed in the contract's code, which outlast a test.
  const rpc = makeRpc(network.rpc_url)
  await replaceWord(rpc, network.contracts.job_escrow, THAW_SECONDS, 2)
  await rpc.close()
  await go('Withdraw')
  await page.getByRole('tab', { name: 'Without us' }).click()
  await page.getByLabel('Credits to set aside').fill('50')
  await page.getByRole('button', { name: 'Set 50 credits aside' }).click()
  await page.getByText('Can be taken out now').waitFor()
  await page.getByRole('button', { name: 'Pay 0.50 USDG to my wallet' }).click()
  await page.getByText('Paid 0.50 USDG').waitFor()
  await page.getByRole('group', { name: 'Withdrawal under way' }).waitFor({ state: 'detached' })
})

FirstDay('finds all of it in the history, with transactions', async () => {
  await go('History')
  await page.getByText('+500 credits').waitFor()
  await page.getByText('+300 credits').waitFor()
  await page.getByText('+100 credits').nth(1).waitFor()
  await page.getByText('+110 credits').waitFor()
  await page.getByText('−500 credits').waitFor()
  await page.getByText('−50 credits').waitFor()
})

FirstDay('revokes the key, which ends its requests', async () => {
  await go('API key')
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('You have no active key').waitFor()
  await until('the key opens nothing more', async () => (await chatStatus()) === 401)
})

FirstDay('signs out', async () => {
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  // The purchases above whose answer was lost or a 503: browsers note both.
  const others = browser.complaints.filter((line) => !/\/api\/deposits$/.test(line))
  assert.equal(others, [])
})

async function go(name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

async function available(): Promise<number> {
  const figure = page.getByLabel('Available credits').locator('.figure')
  return Number((await figure.textContent())?.replaceAll(',', ''))
}

async function availableBecomes(is: (credits: number) => boolean): Promise<void> {
  await go('Overview')
  let last = Number.NaN
  await until(
    () => `${last} credits are shown`,
    async () => {
      last = await available()
      return is(last)
    },
    PATIENCE_MS,
  )
}

/** As a wallet does that has scanned the code: somebody else's, as when an exchange pays. */
async function payLink(link: string): Promise<void> {
  const [, token, chainId, to, units] =
    /^ethereum:(0x\w{40})@(\d+)\/transfer\?address=(0x\w{40})&uint256=(\d+)$/.exec(link) ?? []
  assert.is(Number(chainId), network.chain_id, link)
  const account = privateKeyToAccount(network.wallet.private_key as `0x${string}`)
  const payer = makeWriter(network.rpc_url, account)
  const reader = createPublicClient({ transport: http(network.rpc_url) })
  const abi = parseAbi([
    'function mint(address to, uint256 amount)',
    'function transfer(address to, uint256 amount) returns (bool)',
  ])
  const address = token as `0x${string}`
  const amount = BigInt(units ?? 0)
  const own = { address, abi, chain: null } as const
  const minted = await payer.writeContract({
    ...own,
    functionName: 'mint',
    args: [account.address, amount],
  })
  await mined(reader, minted)
  await payer.writeContract({
    ...own,
    functionName: 'transfer',
    args: [to as `0x${string}`, amount],
  })
}

async function chatStatus(): Promise<number> {
  const authorization = { authorization: `Bearer ${apiKey}` }
  const models = await fetch(`${network.base_url}/models`, {
    headers: { authorization: `Bearer ${network.api_key}` },
  })
  const { data } = (await models.json()) as { data: readonly { readonly id: string }[] }
  const answer = await fetch(`${network.base_url}/chat/completions`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: data[0]?.id,
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 8,
    }),
  })
  await answer.text()
  return answer.status
}

FirstDay.run()

import type { BrowserContext, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../until.ts'
import { stageApp, walletButton } from './app-stage.ts'

/** What wallets do that are not the development wallet, and what the app makes of it. */
const Wallets = suite('web app: wallets')
const app = stageApp(Wallets)

const ACCOUNT = `0x${'9'.repeat(40)}`
const HASH = `0x${'ab'.repeat(32)}`

/** Signs whatever it is asked to, and sends what no block ever takes. */
const PROVIDER = `{
  async request({ method }) {
    return {
      eth_accounts: ['${ACCOUNT}'],
      eth_requestAccounts: ['${ACCOUNT}'],
      eth_chainId: '0x7a69',
      personal_sign: '0x' + '1'.repeat(130),
      eth_sendTransaction: '${HASH}',
    }[method] ?? null
  },
  on() {},
  removeListener() {},
}`

const walletNamed = (name: string) => `(() => {
  const info = { uuid: '${name}', name: '${name}', icon: 'data:,', rdns: 'test.${name.slice(0, 4)}' }
  const detail = Object.freeze({ info, provider: ${PROVIDER} })
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', announce)
  announce()
})()`

async function signInWith(page: Page, name: string | RegExp, heading: string): Promise<void> {
  await page.getByRole('button', { name }).click()
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

const permission = {
  ...{ credits: 100, to: ACCOUNT, deadline: Math.floor(Date.now() / 1_000) + 3_600 },
  signature: '0x',
}

const atOnce = (page: Page) => page.getByRole('tab', { name: 'At once' }).click()

/** Signs in on the page, and opens the way through the wallet. */
async function openWithdrawal(
  context: BrowserContext,
  page: Page,
  wallet: Parameters<typeof signInWith>[1],
  script: string,
): Promise<void> {
  await context.addInitScript(script)
  await page.goto(`${app.url}/withdraw`)
  await signInWith(page, wallet, 'Withdraw')
  await atOnce(page)
}

async function askFor(page: Page, credits: number): Promise<void> {
  await page.getByLabel('Credits to withdraw').fill(String(credits))
  await page.getByRole('button', { name: `Withdraw ${credits} credits` }).click()
}

async function askForWithdrawal(context: BrowserContext, page: Page): Promise<void> {
  await openWithdrawal(context, page, 'Test wallet', walletNamed('Test wallet'))
  await askFor(page, 100)
}

async function withdraw(context: BrowserContext, page: Page): Promise<void> {
  await context.route('**/api/withdrawals', (route) => route.fulfill({ json: permission }))
  await askForWithdrawal(context, page)
  await page.getByText('Sent. Waiting for it to get into a block').waitFor()
}

const underWay = (page: Page) =>
  page.getByText('“Withdraw 100 credits” was sent and is in no block')
const inBlock = (page: Page) => page.getByText('“Withdraw 100 credits” is in a block')
const keptFor = (page: Page) => page.getByText('are kept for the withdrawal you began')

Wallets('what was sent is told after a reload, in another tab and after a sign-out', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    await withdraw(context, page)
    assert.is(await underWay(page).count(), 0)
    await page.reload()
    await underWay(page).waitFor()
    await atOnce(page)
    await page.getByLabel('Credits to withdraw').waitFor()
    // To send it once more would cost a fee for nothing.
    assert.is(await keptFor(page).count(), 0)
    const other = await context.newPage()
    await other.goto(`${app.url}/withdraw`)
    await underWay(other).waitFor()
    await other.getByRole('link', { name: 'History' }).click()
    await other.getByRole('heading', { level: 1, name: 'History' }).waitFor()
    assert.is(await underWay(other).count(), 0)
    await other.getByRole('link', { name: 'Withdraw' }).click()
    await underWay(other).waitFor()

    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await signInWith(page, 'Test wallet', 'Withdraw')
    await underWay(page).waitFor()
    // It hears that somebody has signed in for all.
    await underWay(other).waitFor()

    app.chain.eth_getTransactionReceipt = {
      transactionHash: HASH,
      blockNumber: '0x1',
      status: '0x1',
    }
    await Promise.all([page, other].map((each) => inBlock(each).waitFor()))
    assert.is(await page.evaluate("localStorage.getItem('svc.sent')"), null)
    assert.is(await page.evaluate("sessionStorage.getItem('svc.withdrawal')"), null)
    await page.reload()
    await page.getByRole('tab', { name: 'At once' }).waitFor()
    assert.is(await inBlock(page).count(), 0)
    app.chain.eth_getTransactionReceipt = null
  })
})

Wallets('what was sent and never comes through blocks nobody', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    await withdraw(context, page)
    await page.reload()
    await underWay(page).waitFor()
    await page.getByText('The chain does not know it').waitFor()
    await atOnce(page)
    await page.getByLabel('Credits to withdraw').fill('200')
    assert.ok(await page.getByRole('button', { name: 'Withdraw 200 credits' }).isEnabled())
    await page.getByRole('button', { name: 'Do not follow it' }).click()
    await underWay(page).waitFor({ state: 'detached' })
    // Its credits are still set aside, and can be had by the same permission.
    await keptFor(page).waitFor()
  })
})

Wallets('what was sent and left by another page is told on the way back', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    await withdraw(context, page)
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor()
    await page.getByRole('link', { name: 'Withdraw' }).click()
    await underWay(page).waitFor()
    app.chain.eth_getTransactionReceipt = {
      transactionHash: HASH,
      blockNumber: '0x1',
      status: '0x0',
    }
    await page.getByText('“Withdraw 100 credits” failed').waitFor()
    app.chain.eth_getTransactionReceipt = null
    await until('it is forgotten', async () => {
      return (await page.evaluate("localStorage.getItem('svc.sent')")) === null
    })
  })
})

/** What USDG refuses its transfers with while its issuer has paused it. */
const PAUSED = { code: 3, message: 'execution reverted', data: '0xab35696f' }
const TRANSFER = '0xa9059cbb'

interface RpcCall {
  readonly id: number
  readonly params: readonly { readonly data?: string }[]
}

Wallets('what the token would not pay is told before credits are set aside', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    await context.route(`${app.rpcUrl}/**`, async (route) => {
      const response = await route.fetch()
      const asked: RpcCall | RpcCall[] = route.request().postDataJSON()
      const refused = [asked].flat().find(({ params }) => params[0]?.data?.startsWith(TRANSFER))
      if (!refused) return route.fulfill({ response })
      const error = { jsonrpc: '2.0', id: refused.id, error: PAUSED }
      return route.fulfill({ response, json: Array.isArray(asked) ? [error] : error })
    })
    await askForWithdrawal(context, page)
    await page.getByText('The issuer of USDG has paused it').waitFor()
    assert.not(app.asked.includes('POST /api/withdrawals'))
    assert.is(await keptFor(page).count(), 0)
  })
})

/** Confirms only once `sendNow` says with what, as a device that lies in another room. */
const SLOW_WALLET = walletNamed('Slow wallet')
  .replace(
    'async request({ method }) {',
    `async request({ method }) {
      if (method === 'eth_sendTransaction') {
        return new Promise((done) => Object.assign(window, { sendNow: done }))
      }`,
  )
  .replace(
    'on() {}',
    "on(event, call) { if (event === 'accountsChanged') window.showAccounts = call }",
  )

Wallets('what is sent after the wallet went to another account is told all the same', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    await context.route('**/api/withdrawals', (route) => route.fulfill({ json: permission }))
    await context.addInitScript(SLOW_WALLET)
    await page.goto(`${app.url}/withdraw`)
    await signInWith(page, 'Slow wallet', 'Withdraw')
    const ask = async () => {
      await atOnce(page)
      await askFor(page, 100)
      await page.getByText('Waiting for you to confirm in your wallet').waitFor()
      await until('the wallet is asked', () => page.evaluate("typeof sendNow === 'function'"))
    }
    await ask()
    await page.evaluate('sendNow(null)')
    await page.getByText('Your wallet did not say which transaction it sent').waitFor()
    await page.evaluate('delete window.sendNow')
    await page.reload()
    await ask()
    await page.evaluate(`showAccounts(['0x${'5'.repeat(40)}'])`)
    await page.getByText('Your wallet shows another account').waitFor()
    await page.evaluate(`sendNow('${HASH}')`)
    await underWay(page).waitFor()
  })
})

Wallets('a permission that runs out while the wallet waits is told so', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    await context.route('**/api/withdrawals', (route) => {
      const deadline = Math.floor(Date.now() / 1_000) + 10
      return route.fulfill({ json: { ...permission, deadline } })
    })
    await openWithdrawal(context, page, 'Slow wallet', SLOW_WALLET)
    await askFor(page, 100)
    await page.getByText(/The permission is good for \d+ s more/).waitFor()
    await page.getByText('The permission is over').waitFor()
  })
})

Wallets('a withdrawal that is refused leaves the one that was begun to be sent', async () => {
  await app.inBrowser({}, async ({ context, page }) => {
    const asked: { readonly credits: number; readonly request_id: string }[] = []
    await context.route('**/api/withdrawals', (route) => {
      const body = route.request().postDataJSON()
      asked.push(body)
      if (body.credits === 100) return route.fulfill({ json: permission })
      const error = { code: 'voucher_open', message: 'Another withdrawal of this wallet is open.' }
      return route.fulfill({ status: 409, json: { error } })
    })
    await openWithdrawal(context, page, 'Slow wallet', SLOW_WALLET)
    await askFor(page, 100)
    await until('the wallet is asked', () => page.evaluate("typeof sendNow === 'function'"))
    await page.evaluate('sendNow(null)')
    await keptFor(page).waitFor()
    await askFor(page, 90)
    await page.getByText('Send it where you began it').waitFor()
    await page.getByRole('button', { name: 'Send it now' }).click()
    await until('it is asked for again', async () => asked.length === 3)
    assert.equal(asked[2], asked[0])
  })
})

const UNANNOUNCED = `
  window.ethereum = ${PROVIDER}
  dispatchEvent(new Event('ethereum#initialized'))`

/** A wallet that comes after the page, as those do that are put into it. */
const isFoundLate = (name: string, wallet: string) =>
  app.inBrowser({}, async ({ page }) => {
    const comes = async () => {
      await walletButton(page).waitFor()
      await page.evaluate(wallet)
    }
    await page.goto(`${app.url}/buy`)
    await comes()
    await signInWith(page, name, 'Buy credits')
    await page.getByText('Your wallet holds 25.00 USDG').waitFor()
    await page.reload()
    await comes()
    await page.getByText('Your wallet holds 25.00 USDG').waitFor()
  })

Wallets('a wallet that comes after the page is found, now and after a reload', () =>
  isFoundLate('Test wallet', walletNamed('Test wallet')),
)

Wallets('a wallet that does not announce itself is found, now and after a reload', () =>
  isFoundLate('The wallet of this browser', UNANNOUNCED),
)

/** On another chain, knows no other, and answers as it does to `wallet_switchEthereumChain`. */
const elsewhere = (answer: string) => `(() => {
  const rejected = { code: -32602, message: 'Expected a valid string HTTPS url' }
  const own = ${PROVIDER}
  let isAsked = false
  const request = async (asked) => {
    if (asked.method === 'eth_accounts' && !isAsked) return []
    if (asked.method === 'eth_requestAccounts') isAsked = true
    if (asked.method === 'wallet_requestPermissions') throw { code: -32601, message: 'unknown' }
    if (asked.method === 'eth_chainId') return '0x1'
    if (asked.method === 'wallet_switchEthereumChain') return (${answer})()
    if (asked.method === 'wallet_addEthereumChain') throw rejected
    return own.request(asked)
  }
  const info = { uuid: 'far', name: 'Far wallet', icon: 'data:,', rdns: 'test.far' }
  const detail = Object.freeze({ info, provider: { ...own, request } })
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', announce)
  announce()
})()`

Wallets('a wallet that cannot be taught the chain signs in, and is told what to do', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.addInitScript(elsewhere(`() => { throw { code: 4902, message: 'unknown chain' } }`))
    await page.goto(`${app.url}/buy`)
    await signInWith(page, 'Far wallet', 'Buy credits')
    await page.getByText('Your wallet is on another chain').waitFor()
    await page.getByText(`chain ID 31337, coin ETH, RPC URL ${app.rpcUrl}`).waitFor()
    await page.getByRole('button', { name: 'Switch to Local' }).click()
    await page.getByText('Your wallet has not switched to this service’s chain.').waitFor()
  })
})

Wallets('a wallet that answers and stays where it is keeps nobody waiting for ever', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.clock.install()
    await page.addInitScript(elsewhere('() => null'))
    await page.goto(`${app.url}/buy`)
    await page.getByRole('button', { name: 'Far wallet' }).click()
    await page.getByText('Asking your wallet to switch to this service’s chain').waitFor()
    await page.clock.runFor(31_000)
    await page.getByRole('heading', { level: 1, name: 'Buy credits' }).waitFor()
    await page.getByRole('button', { name: 'Switch to Local' }).click()
    await page.getByText('Open your wallet if it does not come up by itself').waitFor()
    await page.clock.runFor(31_000)
    await page.getByText('Your wallet has not switched to this service’s chain.').waitFor()
  })
})

Wallets('where wallets announce themselves, only they are offered, each by its name', async () => {
  await app.inBrowser({}, async ({ page }) => {
    await page.addInitScript(`window.ethereum = ${PROVIDER}`)
    await page.addInitScript(walletNamed('Test wallet'))
    await page.addInitScript(`setTimeout(() => ${walletNamed('Late wallet')}, 1_000)`)
    await page.goto(`${app.url}/withdraw`)
    await page.getByRole('button', { name: 'Late wallet' }).waitFor()
    const offered = page.getByRole('main').getByRole('button')
    assert.equal(await offered.allTextContents(), [
      'Test wallet',
      'Late wallet',
      'Development wallet (test funds)',
    ])
  })
})

Wallets.run()

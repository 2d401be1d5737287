import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type {
  CreatedKey,
  DepositAddress,
  Movement,
  MovementsPage,
  RelayedDeposit,
  TestFunds,
  WebAccount,
  WebConfig,
  WebKey,
  WebSession,
  WebSettings,
  WebVoucher,
} from '../../src/web/api.ts'
import { codeOf, Visitor } from '../fakes/web/visitor.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { chat, jobSettles, send } from './customer.ts'
import { creditsBecome, WebCustomers } from './web-customers.ts'

/** A customer's first day through the web app's API, against the real network and its chain. */
const WebAccounts = suite('web account')

const MODEL = 'Qwen/Qwen3-8B'
const ask = { model: MODEL, messages: [{ role: 'user', content: 'Hello?' }], max_tokens: 20 }

let network: Network
let config: WebConfig
let customers: WebCustomers

WebAccounts.before(async () => {
  network = await startNetwork()
  config = await new Visitor({ origin: network.web_url }).json<WebConfig>('/api/config')
  customers = new WebCustomers(network, config)
})
WebAccounts.after(async () => {
  await network?.stop()
})

WebAccounts('the app is told where everything is, and that this is a development network', () => {
  assert.is(config.chain.id, network.chain_id)
  assert.is(config.contracts.job_escrow, network.contracts.job_escrow)
  assert.is(config.base_url, network.base_url)
  assert.is(config.explorer_url, network.explorer_url)
  assert.is(config.development, true)
  assert.is(config.relays_deposits, true)
  assert.equal(config.tiers.standard, { credits_per_request: 8, credits_per_1k_tokens: 4 })
  assert.match(network.screen(), network.web_url)
})

WebAccounts(
  'test funds, one signature, credits; the same signature again buys nothing more',
  async () => {
    const { visitor, account, wallet } = await customers.signedIn()
    const before = await visitor.json<WebAccount>('/api/account')
    assert.is(before.wallet, wallet)
    assert.is(before.credits_remaining, 0)
    assert.is(before.last_topup_at, null)

    const fund = () => visitor.post<TestFunds>('/api/development/fund', { wallet })
    assert.is((await fund()).usdg_value, 100)
    assert.is((await fund()).tx, null, 'full is full')
    assert.is(
      await customers.computeOf(wallet),
      50_000_000n * 10n ** 18n,
      'to stake and to vote with',
    )

    const signed = await customers.authorize(account, 250)
    const live = await customers.listen(visitor)
    const { tx } = await visitor.post<RelayedDeposit>('/api/deposits', signed)
    await creditsBecome(visitor, 250)
    assert.equal(await visitor.post<RelayedDeposit>('/api/deposits', signed), { tx })
    await until(
      () => `the page hears of the deposit; it heard: ${live.heard.join()}`,
      async () => live.heard.includes('account') && live.heard.includes('movements'),
    )
    live.end()

    const [purchase] = (await visitor.json<MovementsPage>('/api/account/movements')).data
    const { at, block_number, ...rest } = purchase as Movement
    assert.ok(block_number > 0 && Date.parse(at) > 0)
    const counterparty = wallet
    assert.equal(rest, { type: 'purchase', credits: 250, usdg_value: 2.5, tx, counterparty })
    const after = await visitor.json<WebAccount>('/api/account')
    assert.is(after.credits_remaining, 250)
    assert.ok(after.last_topup_at)
  },
)

WebAccounts('a purchase that the contract would refuse is refused with what to do', async () => {
  const { visitor, account, wallet } = await customers.signedIn()
  const poor = await visitor.send('/api/deposits', {
    method: 'POST',
    body: await customers.authorize(account, 200),
  })
  assert.is(poor.status, 422, poor.text)
  assert.is(codeOf(poor), 'deposit_refused')
  assert.match(poor.text, 'holds less USDG')
  const little = { ...(await customers.authorize(account, 100)), credits: 99 }
  const refused = await visitor.send('/api/deposits', { method: 'POST', body: little })
  assert.is(refused.status, 400)
  assert.is(JSON.parse(refused.text).error.param, 'credits')
  const others = await customers.authorize(privateKeyToAccount(generatePrivateKey()), 200)
  await visitor.post('/api/development/fund', { wallet })
  const forged = await visitor.send('/api/deposits', { method: 'POST', body: others })
  assert.is(codeOf(forged), 'deposit_refused')
})

WebAccounts('tokens sent to the own deposit address arrive, and the page hears of it', async () => {
  const { visitor, wallet } = await customers.signedIn()
  const told = await visitor.json<DepositAddress>('/api/deposit-address')
  assert.is(told.minimum_credits, 100)
  assert.is(told.pending_credits, 0)
  const live = await customers.listen(visitor)
  await customers.mint(told.address, '0.60')
  await until(
    () => `the page hears of the arrival; it heard: ${live.heard.join()}`,
    async () => live.heard.includes('arrivals'),
  )
  await until(
    'what is below the minimum shows',
    async () => (await visitor.json<WebAccount>('/api/account')).arriving_credits === 60,
  )
  await customers.mint(told.address, '0.45')
  await creditsBecome(visitor, 105)
  live.end()
  assert.is((await visitor.json<WebAccount>('/api/account')).arriving_credits, 0)
  const { data } = await visitor.json<MovementsPage>('/api/account/movements')
  assert.equal(
    data.map(({ credits, counterparty }) => [credits, counterparty]),
    [[105, told.address]],
  )
  assert.is.not(told.address, wallet)
})

WebAccounts(
  'a key works at once, is shown once, tells its last use, and ends at once',
  async () => {
    const { visitor } = await customers.rich(100)
    assert.is(await visitor.json('/api/key'), null)
    const created = await visitor.post<CreatedKey>('/api/key')
    assert.match(created.key, /^svc_live_[A-Za-z0-9]{32}$/)
    const shown = await visitor.json<WebKey>('/api/key')
    assert.is(shown.hint, created.hint)
    assert.is(shown.last_used_at, null)
    assert.not.ok(JSON.stringify(shown).includes(created.key))

    const second = await visitor.send('/api/key', { method: 'POST' })
    assert.is(second.status, 409)
    assert.is(codeOf(second), 'key_exists')

    const customer = customers.customerWith(created.key)
    const answer = await chat(customer, ask)
    assert.is(answer.status, 200, answer.text)
    await until(
      'the use of the key is told',
      async () => (await visitor.json<WebKey>('/api/key')).last_used_at ?? undefined,
    )
    assert.is((await visitor.send('/api/key', { method: 'DELETE' })).status, 204)
    await until(
      'the key opens nothing more',
      async () => (await send(customer, '/account')).status === 401,
    )
    assert.is(await visitor.json('/api/key'), null)
    assert.is((await visitor.send('/api/key', { method: 'DELETE' })).status, 204)
    const next = await visitor.post<CreatedKey>('/api/key')
    assert.is((await send(customers.customerWith(next.key), '/account')).status, 200)
    assert.is((await send(customer, '/account')).status, 401)
  },
)

WebAccounts('of many keys asked for at once the wallet has one', async () => {
  const { visitor } = await customers.signedIn()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => visitor.send('/api/key', { method: 'POST' })),
  )
  const made = answers.filter(({ status }) => status === 201)
  assert.is(made.length, 1)
  assert.ok(answers.every(({ status }) => status === 201 || status === 409))
})

WebAccounts('what a job holds is told while it runs, and what became of it after', async () => {
  const { visitor } = await customers.rich(300)
  const { key } = await visitor.post<CreatedKey>('/api/key')
  const customer = customers.customerWith(key)
  const running = chat(customer, { ...ask, max_tokens: 1_500 })
  const held = await until('credits are told to be held', async () => {
    const { locked, settling } = await visitor.json<WebAccount>('/api/account')
    return [...locked.jobs, ...settling.jobs][0]
  })
  assert.is(held.credits, 12)
  const answer = await running
  assert.is(held.job_id, answer.headers['x-svc-job-id'])
  await jobSettles(customer, held.job_id)
  await until('the credits of the settled job are held no more', async () => {
    const { locked, settling, refunding } = await visitor.json<WebAccount>('/api/account')
    return locked.credits + settling.credits + refunding.credits === 0
  })
})

WebAccounts('a disputed job shows with its transaction, and when arbitration ends', async () => {
  const { visitor } = await customers.rich(200)
  const { key } = await visitor.post<CreatedKey>('/api/key')
  const customer = customers.customerWith(key)
  const jobId = String((await chat(customer, ask)).headers['x-svc-job-id'])
  await jobSettles(customer, jobId)
  const opened = await send(customer, `/jobs/${jobId}/dispute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { received_output_hash: `sha256:${'0'.repeat(64)}` },
  })
  assert.is(opened.status, 200, opened.text)
  const [job] = await until('the disputed job is told', async () => {
    const { disputed } = await visitor.json<WebAccount>('/api/account')
    return disputed.jobs[0]?.ends_at ? disputed.jobs : undefined
  })
  assert.is(job!.job_id, jobId)
  assert.is(job!.credits, 8)
  assert.match(job!.tx ?? '', /^0x[0-9a-f]{64}$/)
  const hours = (Date.parse(job!.ends_at ?? '') - Date.now()) / 3_600_000
  assert.ok(hours > 23 && hours < 25, `${hours} hours`)
})

WebAccounts(
  'credits go out at once with a voucher, and with a waiting time without us',
  async () => {
    const { visitor, account, wallet } = await customers.rich(500)
    const body = { credits: 120, to: wallet, request_id: 'first' }
    const voucher = await visitor.post<WebVoucher>('/api/withdrawals', body)
    assert.equal(await visitor.post<WebVoucher>('/api/withdrawals', body), voucher)
    const open = await visitor.send('/api/withdrawals', {
      method: 'POST',
      body: { ...body, request_id: 'second' },
    })
    assert.is(open.status, 409)
    assert.is(codeOf(open), 'voucher_open')
    const mistyped = { ...body, to: `0x${'aB'.repeat(20)}`, request_id: 'mistyped' }
    const typo = await visitor.send('/api/withdrawals', { method: 'POST', body: mistyped })
    assert.equal([typo.status, JSON.parse(typo.text).error.param], [400, 'to'])
    const { deadline, signature } = voucher
    await customers.included(account, 'withdraw', [120n, wallet, BigInt(deadline), signature])
    await creditsBecome(visitor, 380)

    await customers.included(account, 'requestWithdrawal', [80n])
    await creditsBecome(visitor, 300)
    const { thawing } = await visitor.json<WebAccount>('/api/account')
    assert.is(thawing?.credits, 80)
    assert.ok(Date.parse(thawing?.ends_at ?? '') > 0)

    const much = await visitor.send('/api/withdrawals', {
      method: 'POST',
      body: { credits: 10_000, to: wallet, request_id: 'third' },
    })
    assert.is(much.status, 402)
    assert.is(JSON.parse(much.text).error.details.credits_remaining, 300)

    const first = await visitor.json<MovementsPage>('/api/account/movements?limit=1')
    assert.is(first.data[0]?.type, 'withdrawal')
    assert.is(first.has_more, true)
    const older = `/api/account/movements?limit=1&before=${first.next_cursor}`
    assert.is((await visitor.json<MovementsPage>(older)).data[0]?.type, 'purchase')
  },
)

WebAccounts('the threshold of credit.low is kept', async () => {
  const { visitor } = await customers.signedIn()
  assert.equal(await visitor.json<WebSettings>('/api/settings'), { low_threshold: 100 })
  const put = (low_threshold: unknown) =>
    visitor.send('/api/settings', { method: 'PUT', body: { low_threshold } })
  assert.is((await put(25)).status, 200)
  assert.equal(await visitor.json<WebSettings>('/api/settings'), { low_threshold: 25 })
  for (const wrong of [-1, 1.5, '7', null]) assert.is((await put(wrong)).status, 400)
})

WebAccounts('sessions outlive the process, and no other wallet is seen', async () => {
  const [one, other] = await Promise.all([customers.rich(100), customers.signedIn()])
  const [pid] = network.pids('web')
  network.kill('web')
  await until(
    'a web process is back',
    async () => {
      const now = network.pids('web')[0]
      const isBack = now !== undefined && now !== pid
      const answer = isBack
        ? await one.visitor.send('/api/session').catch(() => undefined)
        : undefined
      return answer?.status === 200
    },
    60_000,
  )
  assert.is((await one.visitor.json<WebSession>('/api/session')).wallet, one.wallet)
  await creditsBecome(one.visitor, 100)
  assert.is((await other.visitor.json<WebAccount>('/api/account')).credits_remaining, 0)
  assert.equal((await other.visitor.json<MovementsPage>('/api/account/movements')).data, [])
})

WebAccounts.run()

import { Redis } from 'ioredis'
import { connect, type NatsConnection } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decode, encode } from '../../src/bus/codec.ts'
import { natsAddress } from '../../src/bus/connection/address.ts'
import { toCredits } from '../../src/domain/credits.ts'
import { toAddress } from '../../src/domain/ids.ts'
import type {
  WithdrawalVoucher,
  WithdrawCredits,
  WithdrawCreditsReply,
} from '../../src/messages/account.ts'
import type { WalletFact } from '../../src/messages/fact.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { makeWalletCaller, type WalletCaller } from '../fakes/chain/wallet-caller.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { ChainReader } from './chain-reader.ts'
import {
  balanceBecomes,
  type Customer,
  chat,
  jobSettles,
  newCustomer,
  readAccount,
} from './customer.ts'
import { killAndWait, untilServed } from './until.ts'

/** What a wallet is told of its credits, and how it takes them out, while processes die. */
const Facts = suite('facts and withdrawals of an account')

/** 8 credits up to 500 tokens. */
const MODEL = 'Qwen/Qwen3-8B'
const body = { model: MODEL, messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 20 }
const SETTLED_MS = 90_000

let network: Network
let chain: ChainReader
let customer: Customer
let wallet: WalletCaller
let nats: NatsConnection

Facts.before(async () => {
  network = await startNetwork({ env: { WORKER_SAMPLE_TOKEN_MS: '0' } })
  nats = await connect({ ...natsAddress(network.nats_url), maxReconnectAttempts: -1 })
  chain = new ChainReader(network)
  await untilServed(network, MODEL, 2)
  customer = await newCustomer(network)
  const { rpc_url: rpcUrl, contracts, chain_id: chainId } = network
  wallet = makeWalletCaller({
    rpcUrl,
    contracts: {
      chainId,
      jobEscrow: toAddress(contracts.job_escrow),
      usdg: toAddress(contracts.usdg),
    },
    privateKey: customer.privateKey,
  })
})
Facts.after(async () => {
  await nats?.close()
  await network?.stop()
})

Facts('a purchase is told once', async () => {
  // Nobody has asked for this wallet yet: the service sees it for the first time on chain.
  await chain.deposit(customer, 110)
  const [topup] = await facts(1)
  assert.ok(topup?.type === 'credit.topup')
  const { tx, block_number, ...data } = topup.data
  assert.equal(data, { credits_added: 110, credits_remaining: 110, usdg_value: 1.1 })
  assert.ok(await chain.succeeded(tx))
  assert.ok(block_number > 0)
})

Facts('low is told once, with the actors killed and Redis flushed in between', async () => {
  await answer(102)
  await killAndWait(network, 'actors')
  await answer(94)
  await flush()
  await answer(86)
  await killAndWait(network, 'actors')
  await answer(78)
  const [, low] = await facts(2)
  assert.ok(low?.type === 'credit.low')
  const { credits_remaining, usdg_value, threshold } = low.data
  // Less than 94 where a request that was refused on the way had its lock still out.
  assert.ok(credits_remaining <= 94 && credits_remaining >= 78, String(credits_remaining))
  assert.equal([usdg_value, threshold], [credits_remaining / 100, 100])
})

Facts('after a purchase it is told again: here a withdrawal brings the balance down', async () => {
  network.kill('actors')
  await wallet.deposit(200n)
  const [, , topup] = await facts(3)
  assert.ok(topup?.type === 'credit.topup')
  assert.is(topup.data.credits_added, 200)
  await balanceBecomes(customer, 278)

  const first = await granted('first', 200n)
  assert.is((await readAccount(customer)).credits_remaining, 78)
  await killAndWait(network, 'actors')
  assert.equal(await granted('first', 200n), first, 'the same request, the same answer')
  assert.is((await readAccount(customer)).credits_remaining, 78)
  await flush()
  // What was set aside is forgotten, the voucher is as good as before.
  await wallet.withdrawWith(first)
  await balanceBecomes(customer, 78)
  assert.equal(await chain.account(customer.wallet), { available: 78n, locked: 0n })
  assert.is(await wallet.balance(), 200n * 10_000n)
  const all = await facts(4)
  assert.equal(all.at(-1)?.data, { credits_remaining: 78, usdg_value: 0.78, threshold: 100 })
})

Facts('the limit a day that a wallet sets on chain is told as 402, and takes nothing', async () => {
  await wallet.setSpendLimit(1)
  const startedAt = performance.now()
  const { status, text } = await chat(customer, body)
  assert.is(status, 402, text)
  assert.ok(performance.now() - startedAt < 30_000, 'no retry loop')
  const { error } = JSON.parse(text)
  assert.is(error.code, 'insufficient_credits')
  assert.match(error.message, /limit for a day/)
  await balanceBecomes(customer, 78)
  await wallet.setSpendLimit(0)
  await answer(70)
})

Facts('after all of that nothing was told twice, and the books are right', async () => {
  const all = await facts(4)
  assert.equal(
    all.map(({ type }) => type),
    ['credit.topup', 'credit.low', 'credit.topup', 'credit.low'],
  )
  assert.is(new Set(all.map(({ id }) => id)).size, 4)
  assert.equal(await chain.account(customer.wallet), { available: 70n, locked: 0n })
  const { heldUnits, owedUnits } = await chain.books()
  assert.is(heldUnits, owedUnits)
})

/** An answer for 8 credits, paid, after which the wallet has this much. */
async function answer(left: number): Promise<void> {
  const { headers } = await until(
    'an answer',
    async () => {
      const reply = await chat(customer, body)
      if (reply.status !== 200 && reply.status !== 503) throw new Error(reply.text)
      return reply.status === 200 ? reply : undefined
    },
    SETTLED_MS,
  )
  await jobSettles(customer, String(headers['x-svc-job-id']))
  await balanceBecomes(customer, left)
}

/** What the wallet was told so far, each once, when it is at least this much. */
async function facts(count: number): Promise<readonly WalletFact[]> {
  const jsm = await nats.jetstreamManager()
  let last: readonly WalletFact[] = []
  return until(
    () => `${count} facts, but: ${JSON.stringify(last)}`,
    async () => {
      const { state } = await jsm.streams.info('FACT')
      const found = new Map<string, WalletFact>()
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const { data } = await jsm.streams.getMessage('FACT', { seq })
        const fact = decode(data) as WalletFact
        if (fact.wallet === customer.wallet && !found.has(fact.id)) found.set(fact.id, fact)
      }
      last = [...found.values()]
      return last.length >= count ? last : undefined
    },
    SETTLED_MS,
  )
}

async function granted(requestId: string, credits: bigint): Promise<WithdrawalVoucher> {
  const request: WithdrawCredits = {
    ...{ wallet: customer.wallet, to: customer.wallet },
    ...{ credits: toCredits(credits), requestId },
  }
  return until('a voucher', async () => {
    // Between two lives of the actors nobody answers.
    const message = await nats
      .request(SUBJECTS.accountWithdraw, encode(request), { timeout: 5_000 })
      .catch(() => undefined)
    if (!message) return undefined
    const reply = decode(message.data) as WithdrawCreditsReply
    if (reply.type === 'refused') throw new Error(reply.refusal.message)
    return reply.type === 'granted' ? reply.voucher : undefined
  })
}

async function flush(): Promise<void> {
  const redis = new Redis(network.redis_url)
  await redis.flushall()
  redis.disconnect()
}

Facts.run()

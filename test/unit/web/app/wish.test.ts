import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Hex, toFunctionSelector } from 'viem'
import { createConfig, custom } from 'wagmi'
import type { WebConfig } from '../../../../src/web/api.ts'
import { explain } from '../../../../src/web/app/api/explain.ts'
import { chainOf } from '../../../../src/web/app/wallet/wagmi.ts'
import { endWish, openWish } from '../../../../src/web/app/wallet/wish.ts'
import { withdrawNow } from '../../../../src/web/app/wallet/withdrawal.ts'
import { SOON_MS, until } from '../../../until.ts'

const Wishes = suite('a withdrawal at once')

const HERE = 31_337
const WALLET: Hex = `0x${'9'.repeat(40)}`
const MINUTES_MS = 120_000
const web = {
  chain: { id: HERE, name: 'Local', coin: { name: 'Ether', symbol: 'ETH', decimals: 18 } },
  contracts: { usdg: `0x${'8'.repeat(40)}`, job_escrow: `0x${'7'.repeat(40)}` },
  units_per_credit: 10_000,
  explorer_url: 'https://explorer.example',
} as unknown as WebConfig

const BAD_VOUCHER = toFunctionSelector('BadVoucher()')
const WITHDRAW = toFunctionSelector('withdraw(uint64,address,uint256,bytes)')
/** What the contract says to a withdrawal; undefined: it would pay. */
let refusal: { readonly code: number; readonly data: Hex } | undefined

/** A node that knows nothing, and no wallet: what has its permission gets no further. */
const request = async ({ params = [] }: { readonly params?: readonly { data?: Hex }[] }) => {
  if (!refusal || !params[0]?.data?.startsWith(WITHDRAW)) return null
  throw Object.assign(new Error('execution reverted'), refusal)
}
const config = createConfig({
  chains: [chainOf(web)],
  transports: { [HERE]: custom({ request }) },
  storage: null,
})

const withdraw = (credits: number): Promise<unknown> =>
  withdrawNow(config, { web, wallet: WALLET, credits, to: WALLET }, () => {}).catch(
    (error) => error,
  )

const permission = (credits: number) =>
  Response.json({
    ...{ credits, to: WALLET, signature: '0x12' },
    deadline: Math.floor((Date.now() + MINUTES_MS) / 1_000),
  })
const anotherIsOpen = () =>
  Response.json({ error: { code: 'voucher_open', message: 'No.' } }, { status: 409 })

Wishes('whose permission comes late is the one that has its credits', async () => {
  const fetchBefore = globalThis.fetch
  const asked = new Map<number, (answer: Response) => void>()
  globalThis.fetch = async (url, init) => {
    if (url === '/api/config') return Response.json(web)
    return new Promise((resolve) => asked.set(JSON.parse(String(init?.body)).credits, resolve))
  }
  try {
    // Somebody left the page while the first was asked for, came back and asked for another.
    const first = withdraw(100)
    await until('the first to be asked for', () => asked.has(100), SOON_MS)
    const second = withdraw(50)
    await until('the second to be asked for', () => asked.has(50), SOON_MS)
    asked.get(50)?.(anotherIsOpen())
    asked.get(100)?.(permission(100))
    await Promise.all([first, second])
  } finally {
    globalThis.fetch = fetchBefore
  }
  const open = openWish(WALLET)
  assert.is(open?.credits, 100)
  endWish(open!.requestId)
  assert.is(openWish(WALLET), undefined)
})

Wishes('that has its credits stays where another one is not asked for in the end', async () => {
  const sessionIsOver = () =>
    Response.json({ error: { code: 'session_required', message: 'No.' } }, { status: 401 })
  const isLost = () => Promise.reject(new TypeError('Failed to fetch'))
  const fetchBefore = globalThis.fetch
  let answers: (() => Response | Promise<Response>)[] = []
  globalThis.fetch = async (url) =>
    url === '/api/config' ? Response.json(web) : answers.shift()!()
  try {
    answers = [() => permission(100)]
    await withdraw(100)
    const begun = openWish(WALLET)!.requestId
    for (const answer of [anotherIsOpen, sessionIsOver, isLost]) {
      answers = [answer]
      await withdraw(50)
      assert.is(openWish(WALLET)?.requestId, begun, answer.name)
    }
    endWish(begun)
  } finally {
    globalThis.fetch = fetchBefore
  }
})

Wishes('whose permission the contract does not take is not sent, and why is said', async () => {
  const fetchBefore = globalThis.fetch
  globalThis.fetch = async (url) => (url === '/api/config' ? Response.json(web) : permission(100))
  try {
    // No wallet is there to be asked.
    assert.match(explain(await withdraw(100)).what, /No wallet is connected/)
    refusal = { code: 3, data: BAD_VOUCHER }
    assert.match(explain(await withdraw(100)).what, /The permission to withdraw was used already/)
  } finally {
    globalThis.fetch = fetchBefore
    refusal = undefined
  }
  endWish(openWish(WALLET)!.requestId)
})

Wishes.run()

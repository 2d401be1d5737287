import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  domainSeparator,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  parseAbi,
  toFunctionSelector,
} from 'viem'
import { type Config, createConfig, custom, injected } from 'wagmi'
import { connect } from 'wagmi/actions'
import { jobEscrowAbi } from '../../../../src/chain/abi.ts'
import type { WebConfig } from '../../../../src/web/api.ts'
import { explain } from '../../../../src/web/app/api/explain.ts'
import { buyCredits } from '../../../../src/web/app/wallet/purchase.ts'
import {
  buyRelayed,
  type DepositTerms,
  forgetDeposit,
  type SignedDeposit,
} from '../../../../src/web/app/wallet/signed-deposit.ts'
import { chainOf } from '../../../../src/web/app/wallet/wagmi.ts'

const Deposit = suite('a purchase that is signed once')

const HERE = 31_337
const WALLET: Hex = `0x${'9'.repeat(40)}`
const USDG: Hex = `0x${'8'.repeat(40)}`
const OTHER_ESCROW: Hex = `0x${'6'.repeat(40)}`
const TX = `0x${'a'.repeat(64)}`
const web = {
  chain: { id: HERE, name: 'Local', coin: { name: 'Ether', symbol: 'ETH', decimals: 18 } },
  contracts: { usdg: USDG, job_escrow: `0x${'7'.repeat(40)}` },
  units_per_credit: 10_000,
  explorer_url: 'https://explorer.example',
} as unknown as WebConfig
const terms: DepositTerms = { web, wallet: WALLET, credits: 250 }

const token = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function name() view returns (string)',
])
const separator = domainSeparator({
  domain: { name: 'USDG', version: '1', chainId: HERE, verifyingContract: USDG },
})
const SAID: Readonly<Record<string, Hex>> = {
  [toFunctionSelector('DOMAIN_SEPARATOR()')]: encodeFunctionResult({
    ...{ abi: token, functionName: 'DOMAIN_SEPARATOR', result: separator },
  }),
  [toFunctionSelector('name()')]: encodeFunctionResult({
    ...{ abi: token, functionName: 'name', result: 'USDG' },
  }),
  [toFunctionSelector('nonces(address)')]: `0x${'0'.repeat(64)}`,
  [toFunctionSelector('authorizationState(address,bytes32)')]: `0x${'0'.repeat(64)}`,
}

/** What the contract refuses, by the start of its data, as a node says it; and what the wallet has sent. */
let refused: Hex | undefined
let refusedWith: Hex
let sentByWallet = 0
const callOf = ([call]: readonly unknown[]): Hex => {
  const selector = String((call as { data: Hex }).data).slice(0, 10)
  if (selector === refused) {
    throw Object.assign(new Error('execution reverted'), { code: 3, data: refusedWith })
  }
  return SAID[selector] ?? '0x'
}
/** As USDG says it. */
const PAUSED = '0xab35696f'

const DEPOSIT_WITH_PERMIT = 'depositWithPermit(address,uint64,uint256,uint8,bytes32,bytes32)'
const DEPOSIT_WITH_AUTHORIZATION =
  'depositWithAuthorization(address,address,uint64,(uint256,uint256,bytes32,uint8,bytes32,bytes32))'

type Asked = { readonly method: string; readonly params?: readonly unknown[] }

/** The token as USDG is, which does not tell its domain, and a wallet that signs what it is asked to. */
async function connected(): Promise<Config> {
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_requestAccounts: () => [WALLET],
    eth_accounts: () => [WALLET],
    eth_chainId: () => `0x${HERE.toString(16)}`,
    eth_signTypedData_v4: () => `0x${'1'.repeat(128)}1b`,
    eth_sendTransaction: () => {
      sentByWallet++
      return TX
    },
    eth_blockNumber: () => '0x2',
    eth_getTransactionReceipt: () => ({ transactionHash: TX, blockNumber: '0x1', status: '0x1' }),
    eth_call: callOf,
  }
  const request = async ({ method, params = [] }: Asked) => answers[method]?.(params) ?? null
  const provider = { request, on: () => {}, removeListener: () => {} }
  const own = injected({ shimDisconnect: false })
  const config = createConfig({
    chains: [chainOf(web)],
    connectors: [(to) => ({ ...own(to), getProvider: async () => provider })],
    transports: { [HERE]: custom({ request }) },
    storage: null,
  })
  await connect(config, { connector: config.connectors[0]! })
  return config
}

/**
 * The service's answers to what is handed in, one after the other.
 * @param between is done after the first one
 */
async function saltsHandedIn(
  answers: readonly (Response | Error)[],
  between = async (_config: Config): Promise<unknown> => undefined,
): Promise<readonly string[]> {
  const config = await connected()
  const salts: string[] = []
  const fetchBefore = globalThis.fetch
  globalThis.fetch = async (url, init) => {
    if (url === '/api/config') return Response.json(web)
    const answer = answers[salts.length]!
    salts.push((JSON.parse(String(init?.body)) as SignedDeposit).salt)
    if (answer instanceof Error) throw answer
    return answer
  }
  try {
    for (const [i] of answers.entries()) {
      if (i === 1) await between(config)
      await buyRelayed(config, terms, () => {}).catch(() => {})
    }
  } finally {
    globalThis.fetch = fetchBefore
  }
  return salts
}

const refusal = (status: number, code: string) =>
  new Response(JSON.stringify({ error: { code, message: 'No.' } }), { status })
const sent = () => new Response(JSON.stringify({ tx: TX }))

Deposit.before.each(() => {
  refused = undefined
  refusedWith = PAUSED
  sentByWallet = 0
})
Deposit.after.each(forgetDeposit)

Deposit('that may have been taken is handed in again, over the end of a session, too', async () => {
  const salts = await saltsHandedIn([
    new TypeError('the answer was lost'),
    refusal(401, 'session_required'),
    refusal(503, 'service_unavailable'),
    refusal(409, 'not_offered'),
    sent(),
  ])
  assert.is(salts.length, 5)
  assert.is(new Set(salts).size, 1)
})

Deposit('that is refused is signed anew', async () => {
  const salts = await saltsHandedIn([refusal(422, 'deposit_refused'), sent()])
  assert.is(new Set(salts).size, 2)
})

Deposit('that may have been taken is kept where another purchase is paid meanwhile', async () => {
  const other = { ...terms, credits: 300, relayed: false }
  const salts = await saltsHandedIn([new TypeError('the answer was lost'), sent()], (config) =>
    buyCredits(config, other, () => {}),
  )
  assert.is(new Set(salts).size, 1)
})

Deposit('that was signed for contracts which the service has left is signed anew', async () => {
  const contracts = { ...web.contracts, job_escrow: OTHER_ESCROW }
  const moved = { ...terms, web: { ...web, contracts } }
  const config = await connected()
  const salts: string[] = []
  const fetchBefore = globalThis.fetch
  globalThis.fetch = async (_, init) => {
    salts.push((JSON.parse(String(init?.body)) as SignedDeposit).salt)
    throw new TypeError('the answer was lost')
  }
  try {
    for (const each of [terms, moved, moved])
      await buyRelayed(config, each, () => {}).catch(() => {})
  } finally {
    globalThis.fetch = fetchBefore
  }
  assert.is.not(salts[0], salts[1])
  assert.is(salts[1], salts[2])
})

Deposit('that is asked for twice pays once, where a slow wallet signs both at last', async () => {
  const config = await connected()
  const salts: string[] = []
  const fetchBefore = globalThis.fetch
  globalThis.fetch = async (_, init) => {
    salts.push((JSON.parse(String(init?.body)) as SignedDeposit).salt)
    return sent()
  }
  try {
    // Somebody left the page, came back and began anew: both questions are open in the wallet.
    const both = [1, 2].map(() => buyRelayed(config, terms, () => {}))
    assert.equal(await Promise.all(both), [TX, TX])
  } finally {
    globalThis.fetch = fetchBefore
  }
  assert.is(salts.length, 2)
  assert.is(new Set(salts).size, 1)
})

Deposit('that the contract refuses is not sent by the wallet, and why is said', async () => {
  const own = { ...terms, relayed: false }
  const isSaid = async (purchase: typeof own, function_: string) => {
    refused = toFunctionSelector(function_)
    const error = await buyCredits(await connected(), purchase, () => {}).catch((each) => each)
    assert.match(explain(error).what, /The issuer of USDG has paused it/, function_)
  }
  await isSaid(own, DEPOSIT_WITH_PERMIT)
  await saltsHandedIn([new TypeError('the answer was lost')])
  await isSaid(own, DEPOSIT_WITH_AUTHORIZATION)
  assert.is(sentByWallet, 0)
})

Deposit(
  'that the service was quicker to send is said to be paid, not to be of a wrong amount',
  async () => {
    await saltsHandedIn([refusal(503, 'service_unavailable')])
    refused = toFunctionSelector(DEPOSIT_WITH_AUTHORIZATION)
    // USDG passes over what was used before, and the escrow counts nothing that came.
    refusedWith = encodeErrorResult({
      ...{ abi: jobEscrowAbi, errorName: 'AmountReceivedDiffers', args: [2_500_000n, 0n] },
    })
    const own = { ...terms, relayed: false }
    const error = await buyCredits(await connected(), own, () => {}).catch((each) => each)
    assert.match(explain(error).what, /carried out already/)
    assert.is(sentByWallet, 0)
  },
)

Deposit.run()

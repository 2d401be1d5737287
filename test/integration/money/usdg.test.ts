import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createClient,
  createPublicClient,
  encodeAbiParameters,
  http,
  keccak256,
  parseSignature,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Config } from 'wagmi'
import { jobEscrowAbi } from '../../../src/chain/abi.ts'
import { connectWebChain, type WebChain } from '../../../src/chain/web.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import type { SignedDeposit } from '../../../src/ports/web-chain.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import type { WebConfig } from '../../../src/web/api.ts'
import { CONTRACT_REFUSALS } from '../../../src/web/app/api/contract-refusals.ts'
import { explain } from '../../../src/web/app/api/explain.ts'
import { tokenDomain } from '../../../src/web/app/wallet/token.ts'
import { tryPayment } from '../../../src/web/app/wallet/withdrawal.ts'
import { KEYS, type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { type GlobalDollar, putGlobalDollar } from '../../fakes/chain/global-dollar.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'

/** Purchases with the token that credits are bought with outside of development. */
const Usdg = suite('usdg')

const UNITS_PER_CREDIT = 10_000n
const FAR = 2n ** 40n
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

let local: LocalChain
let dollar: GlobalDollar
let chain: WebChain
let config: Config
let web: WebConfig

Usdg.before(async () => {
  local = await startChain(100n)
  dollar = await putGlobalDollar(local)
  const { rpcUrl, contracts } = local
  const feeCeilingWei = 10n ** 11n
  chain = await connectWebChain({
    ...{ rpcUrl, contracts, relayerPrivateKey: KEYS.worker, feeCeilingWei, log },
  })
  const client = createClient({ transport: http(rpcUrl) })
  config = { getClient: () => client } as unknown as Config
  web = {
    chain: { id: contracts.chainId },
    units_per_credit: Number(UNITS_PER_CREDIT),
    contracts: { usdg: contracts.usdg, job_escrow: contracts.jobEscrow },
  } as unknown as WebConfig
})
Usdg.after(async () => {
  await chain?.close()
  await local?.stop()
})

Usdg('the app knows what a signature is for, though the token does not say it', async () => {
  assert.equal(await tokenDomain(config, web), {
    ...{ name: 'Global Dollar', version: '1', chainId: local.contracts.chainId },
    verifyingContract: local.contracts.usdg,
  })
})

Usdg('a purchase that is signed so arrives, and only once', async () => {
  const buyer = await newBuyer(500n)
  const deposit = await buyer.authorize(300)
  const first = await chain.relay!.submit(deposit)
  assert.is(first.type, 'sent')
  assert.equal(await chain.relay!.submit(deposit), first)
  assert.is(await dollar.balanceOf(buyer.wallet), 200n * UNITS_PER_CREDIT)
})

Usdg(
  'what another process has sent, and no block has yet, is on its way, and not refused',
  async () => {
    const { rpc, rpcUrl, contracts } = local
    const feeCeilingWei = 10n ** 11n
    const other = await connectWebChain({
      ...{ rpcUrl, contracts, relayerPrivateKey: KEYS.worker, feeCeilingWei, log },
    })
    const deposit = await (await newBuyer(500n)).authorize(300)
    await rpc.call('evm_setAutomine', [false])
    const sent = await other.relay!.submit(deposit)
    const meanwhile = await chain.relay!.submit(deposit)
    await rpc.call('evm_mine', [])
    await rpc.call('evm_setAutomine', [true])
    assert.is(sent.type, 'sent')
    assert.equal(meanwhile, { type: 'under_way' })
    assert.equal(await chain.relay!.submit(deposit), sent)
    await other.close()
  },
)

Usdg('a permit that is signed so is taken too', async () => {
  const buyer = await newBuyer(100n)
  await buyer.depositWithPermit(100n)
  assert.is(await dollar.balanceOf(buyer.wallet), 0n)
})

Usdg('what it refuses is told by the names of its own errors', async () => {
  const buyer = await newBuyer(100n)
  const reasonOf = async (deposit: SignedDeposit) => {
    const outcome = await chain.relay!.submit(deposit)
    return outcome.type === 'refused' ? outcome.reason : outcome.type
  }
  assert.is(await reasonOf(await buyer.authorize(101)), 'InsufficientFunds')
  assert.is(await reasonOf(await buyer.authorize(100, 1n)), 'AuthorizationExpired')
  const deposit = await buyer.authorize(100)
  await dollar.pause(true)
  assert.is(await reasonOf(deposit), 'ContractPaused')
  await dollar.pause(false)
  const { jobEscrow } = local.contracts
  for (const holder of [buyer.wallet, jobEscrow]) {
    await dollar.freeze(holder, true)
    assert.is(await reasonOf(deposit), 'AddressFrozen')
    await dollar.freeze(holder, false)
  }
  assert.is(await reasonOf(deposit), 'sent')
})

Usdg('what it would not pay out is known before credits are set aside for it', async () => {
  const { wallet: to } = await newBuyer(0n)
  const { jobEscrow } = local.contracts
  await dollar.mint(jobEscrow, 100n * UNITS_PER_CREDIT)
  const refusal = () => tryPayment(config, { web, credits: 100, to }).then(() => undefined, explain)
  assert.is(await refusal(), undefined)
  await dollar.pause(true)
  assert.equal(await refusal(), CONTRACT_REFUSALS.ContractPaused)
  await dollar.pause(false)
  for (const holder of [to, jobEscrow]) {
    await dollar.freeze(holder, true)
    assert.equal(await refusal(), CONTRACT_REFUSALS.AddressFrozen)
    await dollar.freeze(holder, false)
  }
  assert.is(await refusal(), undefined)
})

/** A wallet with coin and with tokens for so many credits, which signs as the app lets it. */
async function newBuyer(credits: bigint) {
  const account = privateKeyToAccount(generatePrivateKey())
  const wallet = toAddress(account.address)
  await dollar.mint(wallet, credits * UNITS_PER_CREDIT)
  await local.rpc.call('anvil_setBalance', [wallet, '0xde0b6b3a7640000'])
  const domain = await tokenDomain(config, web)
  const { jobEscrow } = local.contracts
  return {
    wallet,
    authorize: async (count: number, validBefore = FAR): Promise<SignedDeposit> => {
      const salt = generatePrivateKey()
      const signature = await account.signTypedData({
        ...{ domain, types: TYPES, primaryType: 'ReceiveWithAuthorization' },
        message: {
          ...{ from: wallet, to: jobEscrow, value: BigInt(count) * UNITS_PER_CREDIT },
          ...{ validAfter: 0n, validBefore, nonce: nonceOf(wallet, salt) },
        },
      })
      return { wallet, credits: toCredits(count), validAfter: 0n, validBefore, salt, signature }
    },
    depositWithPermit: async (count: bigint) => {
      const value = count * UNITS_PER_CREDIT
      const signature = await account.signTypedData({
        ...{ domain, types: TYPES, primaryType: 'Permit' },
        message: { owner: wallet, spender: jobEscrow, value, nonce: 0n, deadline: FAR },
      })
      const { r, s, yParity } = parseSignature(signature)
      const hash = await makeWriter(local.rpcUrl, account).writeContract({
        ...{ address: jobEscrow, abi: jobEscrowAbi, chain: null, account },
        ...{ functionName: 'depositWithPermit', args: [wallet, count, FAR, 27 + yParity, r, s] },
      })
      const reader = createPublicClient({ transport: http(local.rpcUrl) })
      await mined(reader, hash)
    },
  }
}

const nonceOf = (wallet: Address, salt: `0x${string}`) =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [wallet, salt]))

const TYPES = {
  ReceiveWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

Usdg.run()

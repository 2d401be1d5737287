import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeAbiParameters, type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { connectWebChain, type WebChain } from '../../../src/chain/web.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import type { RelayOutcome, SignedDeposit } from '../../../src/ports/web-chain.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { KEYS, type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { makeWalletCaller, RECEIVE } from '../../fakes/chain/wallet-caller.ts'

/** Purchases that wallets sign and the web app sends. */
const Relay = suite('web deposit relay')

const GWEI = 1_000_000_000n
const UNITS_PER_CREDIT = 10_000n
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

let local: LocalChain
/** Two web processes that were given the same key. */
let webs: readonly WebChain[]

Relay.before(async () => {
  local = await startChain(100n)
  webs = await Promise.all([connect(KEYS.wallet), connect(KEYS.wallet)])
})
Relay.after(async () => {
  await Promise.all((webs ?? []).map((web) => web.close()))
  await local?.stop()
})

const connect = (relayerPrivateKey: Hex, feeCeilingWei = 100n * GWEI) => {
  const { rpcUrl, contracts } = local
  return connectWebChain({ rpcUrl, contracts, relayerPrivateKey, feeCeilingWei, log })
}

Relay('two processes with one key: every purchase arrives, none twice', async () => {
  const buyers = await Promise.all(Array.from({ length: 6 }, () => buyer(500)))
  const deposits = await Promise.all(buyers.map((each) => each.sign(300)))
  const outcomes = await Promise.all(
    deposits.flatMap((deposit) => webs.map(({ relay }) => relay!.submit(deposit))),
  )
  assert.ok(
    outcomes.every(({ type }) => type === 'sent'),
    JSON.stringify(outcomes),
  )
  for (const deposit of deposits) {
    const again = await Promise.all(webs.map(({ relay }) => relay!.submit(deposit)))
    assert.is(new Set(again.map(txOf)).size, 1, 'one purchase, one transaction')
  }
  for (const each of buyers) {
    assert.is(await each.credits(), 300n)
    assert.is(await each.tokens(), 200n * UNITS_PER_CREDIT)
  }
})

Relay('a purchase that somebody else has sent is found, not sent again', async () => {
  const salt = generatePrivateKey()
  const own = makeWalletCaller({ ...local, privateKey: KEYS.worker })
  await own.depositWithAuthorization(150n, salt)
  const wallet = toAddress(privateKeyToAccount(KEYS.worker).address)
  const outcome = await webs[0]!.relay!.submit({
    ...{ wallet, credits: toCredits(150), validAfter: 0n, validBefore: 2n ** 40n, salt },
    signature: `0x${'11'.repeat(64)}1b`,
  })
  assert.is(outcome.type, 'sent')
  const page = await webs[0]!.reader.movements({ wallet, limit: 1 })
  assert.is(page.movements[0]!.tx, txOf(outcome))
})

Relay('what the contracts would refuse is not sent, and costs nothing', async () => {
  const coinOf = async () => {
    const payer = privateKeyToAccount(KEYS.wallet).address
    return BigInt(await local.rpc.call<string>('eth_getBalance', [payer, 'latest']))
  }
  const before = await coinOf()
  const poor = await buyer(99)
  const rich = await buyer(500)
  const spent = await coinOf()
  const signed = await rich.sign(200)
  const cases: readonly (readonly [SignedDeposit, string])[] = [
    [await poor.sign(100), 'ERC20InsufficientBalance'],
    [{ ...signed, credits: toCredits(201) }, 'ERC3009InvalidSignature'],
    [{ ...signed, signature: '0x1234' }, 'ERC3009InvalidSignature'],
    [{ ...(await rich.sign(99)) }, 'BelowMinimumDeposit'],
    [await rich.sign(200, 1n), 'ERC3009InvalidAuthorizationTime'],
  ]
  for (const [deposit, reason] of cases) {
    assert.equal(await webs[0]!.relay!.submit(deposit), { type: 'refused', reason })
  }
  assert.is(await coinOf(), spent)
  assert.ok(spent <= before)
})

Relay('a relay that cannot pay says so, and nothing is bought', async () => {
  const rich = await buyer(500)
  const deposit = await rich.sign(200)
  for (const connecting of [connect(generatePrivateKey()), connect(KEYS.wallet, 1n)]) {
    const web = await connecting
    const { type } = await web.relay!.submit(deposit)
    await web.close()
    assert.is(type, 'unavailable')
  }
  assert.is(await rich.credits(), 0n)
})

const txOf = (outcome: RelayOutcome) => (outcome.type === 'sent' ? outcome.tx : outcome.type)

/** A new wallet with tokens for so many credits and without coin. */
async function buyer(credits: number) {
  const { contracts } = local
  const account = privateKeyToAccount(generatePrivateKey())
  const wallet = toAddress(account.address)
  const caller = makeWalletCaller({ ...local, privateKey: KEYS.deployer })
  // One after the other: they are minted with one key.
  minted = minted.then(() => caller.mintTo(wallet, BigInt(credits) * UNITS_PER_CREDIT))
  await minted
  return {
    credits: async () =>
      (await webs[0]!.reader.movements({ wallet, limit: 9 })).movements.reduce(
        (sum, each) => sum + each.credits,
        0n,
      ),
    tokens: () => caller.balanceOf(wallet),
    sign: async (credits: number, validBefore = 2n ** 40n): Promise<SignedDeposit> => {
      const salt = generatePrivateKey()
      const nonce = keccak256(
        encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [wallet, salt]),
      )
      const value = BigInt(credits) * UNITS_PER_CREDIT
      const signature = await account.signTypedData({
        domain: {
          name: 'Global Dollar (development)',
          version: '1',
          chainId: contracts.chainId,
          verifyingContract: contracts.usdg,
        },
        types: { ReceiveWithAuthorization: RECEIVE },
        primaryType: 'ReceiveWithAuthorization',
        message: {
          ...{ from: wallet, to: contracts.jobEscrow, value },
          ...{ validAfter: 0n, validBefore, nonce },
        },
      })
      return { wallet, credits: toCredits(credits), validAfter: 0n, validBefore, salt, signature }
    },
  }
}
let minted: Promise<unknown> = Promise.resolve()

Relay.run()

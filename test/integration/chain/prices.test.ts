import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectChain } from '../../../src/chain/connect.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { TIER_PRICES, TIERS } from '../../../src/domain/tiers.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { replaceWord } from '../../fakes/chain/registry-voter.ts'

/** No escrow, or one with other prices than the service's, is an operator's error, and is noticed at start. */
const Prices = suite('prices on chain')
const log = makeLog('test', 'silent')

let chain: LocalChain
Prices.before(async () => {
  chain = await startChain(1_000n)
})
Prices.after(async () => {
  await chain?.stop()
})

const connect = () => connectChain({ rpcUrl: chain.rpcUrl, contracts: chain.contracts, log })
const refusalOf = (contracts: Contracts): Promise<string> =>
  connectChain({ rpcUrl: chain.rpcUrl, contracts, log }).then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  )

/** As PriceTable.sol packs them. */
const packed = (prices: typeof TIER_PRICES): bigint =>
  TIERS.reduceRight((table, tier) => {
    const { perRequest, per1kTokens } = prices[tier]
    return (table << 64n) | (per1kTokens << 32n) | perRequest
  }, 0n)

Prices('the prices that were deployed are the service’s', async () => {
  await (await connect()).close()
})

for (const [tier, changed, told] of [
  [
    'standard',
    { perRequest: 9n, per1kTokens: 4n },
    /charges (9|13) credits .* tells callers (8|12)/,
  ],
  ['max', { perRequest: 40n, per1kTokens: 21n }, /charges 61 credits for 1500 .* callers 60/],
] as const) {
  Prices(`another price of tier ${tier} is refused, and named`, async () => {
    const other = packed({ ...TIER_PRICES, [tier]: changed })
    await replaceWord(chain.rpc, chain.contracts.jobEscrow, packed(TIER_PRICES), other)
    try {
      const refusal = await refusalOf(chain.contracts)
      assert.match(refusal, told)
      assert.match(refusal, `tier ${tier}`)
      assert.match(refusal, 'CONTRACTS_FILE')
    } finally {
      await replaceWord(chain.rpc, chain.contracts.jobEscrow, other, packed(TIER_PRICES))
    }
  })
}

Prices('another contract in the place of the escrow is refused', async () => {
  const contracts = { ...chain.contracts, jobEscrow: chain.contracts.usdg }
  assert.match(await refusalOf(contracts), /is no JobEscrow of this version.*CONTRACTS_FILE/)
})

for (const name of ['jobEscrow', 'workerStaking', 'modelRegistry'] as const) {
  Prices(`no contract in the place of ${name} is refused, and named`, async () => {
    const contracts = { ...chain.contracts, [name]: `0x${'11'.repeat(20)}` }
    assert.match(await refusalOf(contracts), /RPC_URL shows no code at 0x1111.*CONTRACTS_FILE/)
  })
}

Prices.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectChain } from '../../src/chain/connect.ts'
import { TIER_PRICES, TIERS } from '../../src/domain/tiers.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { type LocalChain, startChain } from '../fakes/chain/anvil.ts'
import { replaceWord } from '../fakes/chain/registry-voter.ts'

/** An escrow with other prices than the service's is an operator's error, and is noticed at start. */
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
      const refusal = await connect().then(
        () => 'nothing was refused',
        (error: Error) => error.message,
      )
      assert.match(refusal, told)
      assert.match(refusal, `tier ${tier}`)
      assert.match(refusal, 'CONTRACTS_FILE')
    } finally {
      await replaceWord(chain.rpc, chain.contracts.jobEscrow, other, packed(TIER_PRICES))
    }
  })
}

Prices(
  'a chain without the contracts, like a local one that begins anew, is waited for',
  async () => {
    await chain.rpc.call('anvil_setCode', [chain.contracts.jobEscrow, '0x'])
    await (await connect()).close()
  },
)

Prices.run()

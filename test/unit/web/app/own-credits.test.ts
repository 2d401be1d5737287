import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Address, decodeFunctionData, encodeFunctionResult, type Hex } from 'viem'
import { jobEscrowAbi as abi } from '../../../../src/chain/abi.ts'
import { readOwnCredits } from '../../../../src/web/app/chain/own-credits.ts'
import { isSetAside } from '../../../../src/web/app/pages/withdraw/withdraw-props.ts'
import { makeFakeHouse } from '../../../fakes/web/fake-house.ts'

/** The way to withdraw that always works must need nothing but the chain. */
const OwnCredits = suite('web app: credits as the chain alone tells them')

const { config: web } = makeFakeHouse('http://own-credits.test', 0)
const WALLET: Address = `0x${'9'.repeat(40)}`
const ENDS_AT = 1_900_000_000

let account: readonly [bigint, bigint, bigint, number] = [0n, 0n, 0n, 0]
let endsAt = 0n

function resultOf([{ to, data }]: readonly [{ readonly to: Address; readonly data: Hex }]): Hex {
  const { functionName, args } = decodeFunctionData({ abi, data })
  assert.equal([to, args], [web.contracts.job_escrow, [WALLET]])
  return functionName === 'accounts'
    ? encodeFunctionResult({ abi, functionName, result: account })
    : encodeFunctionResult({ abi, functionName: 'thawEndsAt', result: endsAt })
}

const { fetch } = globalThis
OwnCredits.before(() => {
  globalThis.fetch = async (url, init) => {
    // The service is down.
    if (!String(url).startsWith(web.chain.rpc_url)) throw new TypeError('Failed to fetch')
    const calls = [JSON.parse(String(init?.body))].flat()
    return Response.json(
      calls.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: resultOf(params) })),
    )
  }
})
OwnCredits.after(() => {
  globalThis.fetch = fetch
})

OwnCredits('what can be set aside, and what already is, with its end', async () => {
  account = [120n, 8n, 30n, 1]
  endsAt = BigInt(ENDS_AT)
  const told = await readOwnCredits(web, WALLET)
  assert.equal(told, {
    credits_remaining: 120,
    thawing: { credits: 30, ends_at: new Date(ENDS_AT * 1_000).toISOString() },
  })
  assert.is(isSetAside(told), true)
})

OwnCredits('nothing is set aside: known to be so, and not unknown', async () => {
  account = [120n, 0n, 0n, 1]
  endsAt = 0n
  const told = await readOwnCredits(web, WALLET)
  assert.equal(told.thawing, { credits: 0, ends_at: null })
  assert.is(isSetAside(told), false)
})

OwnCredits.run()

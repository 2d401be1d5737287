import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Hex } from 'viem'
import { createConfig, custom } from 'wagmi'
import type { WebConfig } from '../../../../src/web/api.ts'
import { explain } from '../../../../src/web/app/api/explain.ts'
import { hasMoved, isPaidWith, Moved, requireUnmoved } from '../../../../src/web/app/api/moved.ts'
import { buyCredits } from '../../../../src/web/app/wallet/purchase.ts'
import { stake } from '../../../../src/web/app/wallet/stake.ts'
import { chainOf } from '../../../../src/web/app/wallet/wagmi.ts'
import { withdrawNow } from '../../../../src/web/app/wallet/withdrawal.ts'
import { makeFakeHouse } from '../../../fakes/web/fake-house.ts'

const MovedSuite = suite('a service that has moved to other contracts')

const { config: web } = makeFakeHouse('http://chain.test', 0)
const WALLET: Hex = `0x${'9'.repeat(40)}`
const elsewhere = (contracts: object): WebConfig => ({
  ...web,
  contracts: { ...web.contracts, ...contracts },
})
const moved = elsewhere({ job_escrow: `0x${'e'.repeat(40)}` })

/** What the node, a wallet or the service is asked beside where the service is. */
let asked: string[] = []
const wagmi = createConfig({
  chains: [chainOf(web)],
  transports: {
    [web.chain.id]: custom({
      request: async ({ method }) => {
        asked.push(method)
        return null
      },
    }),
  },
  storage: null,
})

const { fetch } = globalThis
let answer = (): Promise<Response> => Promise.resolve(Response.json(web))
MovedSuite.before.each(() => {
  asked = []
  globalThis.fetch = async (url) => {
    if (url === '/api/config') return answer()
    asked.push(String(url))
    return Response.json({}, { status: 500 })
  }
})
MovedSuite.after(() => {
  globalThis.fetch = fetch
})

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

MovedSuite('gets no money on the old ways, and nobody is asked to sign any', async () => {
  answer = async () => Response.json(moved)
  const say = () => {}
  const from = { web, wallet: WALLET }
  for (const work of [
    () => buyCredits(wagmi, { ...from, credits: 250, relayed: true }, say),
    () => buyCredits(wagmi, { ...from, credits: 250, relayed: false }, say),
    () => withdrawNow(wagmi, { ...from, credits: 250, to: WALLET }, say),
    () => stake(wagmi, { ...from, workerId: 1, amount: 1n }, say),
  ]) {
    const error = await errorOf(work())
    assert.instance(error, Moved, String(error))
    assert.match(explain(error).todo, /Reload the page/)
  }
  assert.equal(asked, [])
})

MovedSuite('is not taken for one that is silent, or says what is none of ours', async () => {
  answer = () => Promise.reject(new TypeError('Failed to fetch'))
  await requireUnmoved(web)
  for (const odd of ['', 'null', '{}', '[]', '"sign in to this network"', '<html>']) {
    answer = async () => new Response(odd)
    assert.is(await errorOf(requireUnmoved(web)), undefined, odd)
  }
})

MovedSuite('is known by its chain and any address, not by what a later version adds', () => {
  assert.is(hasMoved(web, moved), true)
  assert.is(hasMoved(web, elsewhere({ governor: `0x${'e'.repeat(40)}` })), true)
  assert.is(hasMoved(web, { ...web, chain: { ...web.chain, id: web.chain.id + 1 } }), true)
  assert.is(hasMoved(web, elsewhere({ vault: WALLET, deploy_block: 7 })), false)
})

MovedSuite(
  'has a deposit address of its own, which is not paid with the token or on the chain of before',
  () => {
    const deposit = {
      ...{ address: WALLET, chain_id: web.chain.id, usdg: web.contracts.usdg },
      ...{ pending_credits: 0, minimum_credits: 100 },
    }
    assert.is(isPaidWith(web, deposit), true)
    assert.is(isPaidWith(moved, deposit), true, 'another escrow takes the same token')
    assert.is(isPaidWith(web, { ...deposit, usdg: WALLET }), false)
    assert.is(isPaidWith(web, { ...deposit, chain_id: web.chain.id + 1 }), false)
  },
)

MovedSuite.run()

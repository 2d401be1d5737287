import * as assert from 'uvu/assert'
import {
  createPublicClient,
  encodeAbiParameters,
  type Hex,
  http,
  keccak256,
  parseUnits,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { devUsdgAbi, jobEscrowAbi, rComputeAbi } from '../../src/chain/abi.ts'
import { toAddress } from '../../src/domain/ids.ts'
import type { WebAccount, WebConfig } from '../../src/web/api.ts'
import { mined } from '../fakes/chain/mined.ts'
import { RECEIVE } from '../fakes/chain/wallet-caller.ts'
import { makeWriter } from '../fakes/chain/writer.ts'
import { Visitor } from '../fakes/web/visitor.ts'
import type { Network } from '../network/network.ts'
import { until } from '../until.ts'
import type { Customer } from './customer.ts'

type Account = ReturnType<typeof privateKeyToAccount>

type Call =
  | readonly ['withdraw', readonly [bigint, Hex, bigint, Hex]]
  | readonly ['requestWithdrawal', readonly [bigint]]

/** Makes customers of the web app, and does on the chain what their wallets do. */
export class WebCustomers {
  readonly #network: Network
  readonly #config: WebConfig

  constructor(network: Network, config: WebConfig) {
    this.#network = network
    this.#config = config
  }

  async signedIn() {
    const account = privateKeyToAccount(generatePrivateKey())
    const visitor = new Visitor({ origin: this.#network.web_url })
    const answer = await visitor.signIn(account, this.#network.chain_id)
    if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`)
    return { visitor, account, wallet: toAddress(account.address) }
  }

  /** Signed in, with so many credits. */
  async rich(credits: number) {
    const customer = await this.signedIn()
    await customer.visitor.post('/api/development/fund', { wallet: customer.wallet })
    const signed = await this.authorize(customer.account, credits)
    await customer.visitor.post('/api/deposits', signed)
    await creditsBecome(customer.visitor, credits)
    return customer
  }

  customerWith(apiKey: string): Customer {
    return {
      baseUrl: this.#network.base_url,
      apiKey,
      wallet: toAddress(`0x${'0'.repeat(40)}`),
      privateKey: '0x',
    }
  }

  /** The one signature with which a wallet buys. */
  async authorize(account: Account, credits: number) {
    const salt = generatePrivateKey()
    const times = { valid_after: 0, valid_before: Math.floor(Date.now() / 1_000) + 3_600 }
    const nonce = keccak256(
      encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [account.address, salt]),
    )
    const signature = await account.signTypedData({
      domain: {
        name: 'Global Dollar (development)',
        version: '1',
        chainId: this.#config.chain.id,
        verifyingContract: this.#config.contracts.usdg,
      },
      types: { ReceiveWithAuthorization: RECEIVE },
      primaryType: 'ReceiveWithAuthorization',
      message: {
        from: account.address,
        to: this.#config.contracts.job_escrow,
        value: BigInt(credits * this.#config.units_per_credit),
        validAfter: BigInt(times.valid_after),
        validBefore: BigInt(times.valid_before),
        nonce,
      },
    })
    return { credits, ...times, salt, signature }
  }

  async included<const C extends Call>(account: Account, ...[functionName, args]: C) {
    const writer = makeWriter(this.#network.rpc_url, account)
    const about = {
      address: this.#config.contracts.job_escrow,
      abi: jobEscrowAbi,
      chain: null,
    } as const
    // The name and its arguments belong together; the library sees the two apart.
    const call = { ...about, functionName, args } as Parameters<typeof writer.writeContract>[0]
    await this.#inBlock(await writer.writeContract(call))
  }

  async mint(to: Hex, usdg: string): Promise<void> {
    const account = privateKeyToAccount(this.#network.wallet.private_key as Hex)
    const writer = makeWriter(this.#network.rpc_url, account)
    const about = { address: this.#config.contracts.usdg, abi: devUsdgAbi, chain: null } as const
    const args = [to, parseUnits(usdg, 6)] as const
    await this.#inBlock(await writer.writeContract({ ...about, functionName: 'mint', args }))
  }

  computeOf(wallet: Hex): Promise<bigint> {
    return createPublicClient({ transport: http(this.#network.rpc_url) }).readContract({
      ...{ address: this.#config.contracts.r_compute, abi: rComputeAbi },
      ...{ functionName: 'balanceOf', args: [wallet] },
    })
  }

  /** Reads /api/events; resolves once the stream is open. */
  async listen(visitor: Visitor) {
    const stop = new AbortController()
    const response = await fetch(`${this.#network.web_url}/api/events`, {
      headers: { cookie: visitor.cookie ?? '' },
      signal: stop.signal,
    })
    assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const heard: string[] = []
    const read = async () => {
      let text = ''
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
        text += piece
        const events = text.split('\n\n')
        text = events.pop() ?? ''
        for (const event of events) {
          const data = /^event: stale\ndata: (.*)$/.exec(event)?.[1]
          if (data) heard.push(...JSON.parse(data).queries)
        }
      }
    }
    // It ends with the stream, also where a test leaves it open.
    const reading = read().catch(() => {})
    return {
      heard,
      end: async () => {
        stop.abort()
        await reading
      },
    }
  }

  async #inBlock(hash: Hex): Promise<void> {
    const reader = createPublicClient({ transport: http(this.#network.rpc_url) })
    await mined(reader, hash)
  }
}

export async function creditsBecome(visitor: Visitor, credits: number): Promise<void> {
  let last: number | undefined
  await until(
    () => `${last} credits where ${credits} were awaited`,
    async () => {
      last = (await visitor.json<WebAccount>('/api/account')).credits_remaining
      return last === credits
    },
  )
}

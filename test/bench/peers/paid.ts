import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { createTestClient, createWalletClient, http, parseAbi, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { mined } from '../../fakes/chain/mined.ts'
import type { Network } from '../../network/network.ts'
import { cpuMsByRole, cpuMsOfTree } from '../resources.ts'
import { inPackages, MODEL } from './peer.ts'
import { startTelling } from './processes.ts'

/** What `requests` requests cost that are paid one by one. */
export interface Paid {
  readonly failed: number
  readonly seconds: number
  /** CPU milliseconds of server, facilitator and chain together. */
  readonly cpuMs: number
}

const USDG = parseAbi([
  'function mint(address to, uint256 amount)',
  'function name() view returns (string)',
])
const PLENTY_UNITS = 10n ** 15n
const PLENTY_WEI = 10n ** 22n

/** x402 from its own packages, on the chain of `network`, before the same upstream. */
export async function payByX402(
  network: Network,
  upstreamUrl: string,
  load: { readonly requests: number; readonly concurrency: number },
): Promise<Paid> {
  const [payer, facilitatorKey] = [newKey(), newKey()]
  const token = await fund(network, payer, facilitatorKey)
  const chain = { CHAIN_ID: String(network.chain_id), RPC_URL: network.rpc_url }
  const facilitator = await startTelling([inPackages('x402-facilitator.mjs')], {
    ...chain,
    PRIVATE_KEY: facilitatorKey,
  })
  const server = await startTelling([inPackages('x402-server.mjs')], {
    ...chain,
    FACILITATOR_URL: facilitator.url,
    UPSTREAM_URL: upstreamUrl,
    ASSET: network.contracts.usdg,
    ASSET_NAME: token,
    PAY_TO: network.wallet.address,
  })
  const cpu = () =>
    cpuMsOfTree(facilitator.pid) +
    cpuMsOfTree(server.pid) +
    (cpuMsByRole(network).get('chain') ?? 0)
  try {
    const pay = (requests: number) =>
      client({ ...chain, URL: server.url, PRIVATE_KEY: payer, MODEL }, { ...load, requests })
    await pay(Math.min(50, load.requests))
    const before = cpu()
    const { failed, seconds } = await pay(load.requests)
    return { failed, seconds, cpuMs: cpu() - before }
  } finally {
    server.stop()
    facilitator.stop()
  }
}

const newKey = (): `0x${string}` => `0x${randomBytes(32).toString('hex')}`

/** Tokens for who pays, coin for who settles. @returns the token's name, as its signatures have it */
async function fund(network: Network, payer: `0x${string}`, facilitator: `0x${string}`) {
  const transport = http(network.rpc_url)
  const chain = { ...foundry, id: network.chain_id }
  const node = createTestClient({ mode: 'anvil', chain, transport }).extend(publicActions)
  for (const key of [payer, facilitator]) {
    await node.setBalance({ address: privateKeyToAccount(key).address, value: PLENTY_WEI })
  }
  const account = privateKeyToAccount(payer)
  const address = network.contracts.usdg as `0x${string}`
  const call = { address, abi: USDG, functionName: 'mint' } as const
  const args = [account.address, PLENTY_UNITS] as const
  const hash = await createWalletClient({ account, chain, transport }).writeContract({
    ...call,
    args,
  })
  await mined(node, hash)
  return node.readContract({ address, abi: USDG, functionName: 'name' })
}

async function client(
  env: Readonly<Record<string, string>>,
  { requests, concurrency }: { requests: number; concurrency: number },
): Promise<{ readonly failed: number; readonly seconds: number }> {
  const load = { REQUESTS: String(requests), CONCURRENCY: String(concurrency) }
  const options = { env: { ...process.env, ...env, ...load }, maxBuffer: 64 * 1024 * 1024 }
  const file = inPackages('x402-client.mjs')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], options)
  if (stderr) process.stderr.write(stderr)
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

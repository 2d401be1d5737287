import { type Abi, createPublicClient, encodeFunctionData, type Hex, parseUnits } from 'viem'
import {
  computeGovernorAbi,
  devUsdgAbi,
  jobEscrowAbi,
  modelRegistryAbi,
  rComputeAbi,
  workerStakingAbi,
} from '../../../src/chain/abi.ts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import { toAddress, toJobId } from '../../../src/domain/ids.ts'
import { makeEscrowCaller } from '../../fakes/chain/escrow-caller.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'
import { startReceiver } from '../../fakes/webhooks/receiver.ts'
import { type Network, startNetwork } from '../../network/network.ts'
import { workerKey } from '../../network/worker-keys.ts'
import { pause, until } from '../../until.ts'
import { hashOf } from '../calls.ts'
import { bodyOf, chat, firstCustomer, jobBecomes, jobSettles, send } from '../customer.ts'
import type { Completion } from '../public-shapes.ts'
import { signedInVisitor } from './signed-in.ts'

/** A real network in which one of everything has happened to its first customer. */
export interface ShownNetwork {
  readonly network: Network
  readonly jobs: Record<'settled' | 'refunded' | 'disputed' | 'rejected', string>
  /** Its webhook has failed. */
  readonly webhook: string
  /** Paid to the customer's wallet, with stake. */
  readonly worker: string
  readonly proposal: string
  stop(): Promise<void>
}

const MODEL = 'Qwen/Qwen3-8B'
const RETIRED = 'Qwen/Qwen3-14B'

export async function startShownNetwork(): Promise<ShownNetwork> {
  const receiver = await startReceiver()
  const network = await startNetwork({
    env: { WEBHOOK_RETRY_SECONDS: '0,1', DISPUTE_WINDOW_SECONDS: '300' },
  })
  const stop = async () => {
    await network.stop()
    await receiver.close()
  }
  try {
    receiver.behave('hook', 500)
    const webhook = await failingWebhook(network, receiver.url('hook'))
    const jobs = await everyKindOfJob(network)
    const worker = await stakedWorker(network, jobs.settled)
    await purchaseAndThaw(network)
    const proposal = await proposed(network)
    return { network, jobs, webhook, worker, proposal, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Webhooks {
  readonly data: readonly { readonly id: string; readonly status: string }[]
}

/** Two attempts a delivery, both refused. */
async function failingWebhook(network: Network, url: string): Promise<string> {
  const visitor = await signedInVisitor(network)
  const events = ['job.completed', 'job.disputed', 'credit.low']
  const { id } = await visitor.post<{ id: string }>('/api/webhooks', {
    ...{ url, events, secret: 'a secret that is long enough' },
  })
  await answered(network)
  await until(
    'the webhook has failed',
    async () => {
      const { data } = await visitor.json<Webhooks>('/api/webhooks')
      return data.some((each) => each.id === id && each.status === 'failed')
    },
    60_000,
  )
  return id
}

async function everyKindOfJob(network: Network): Promise<ShownNetwork['jobs']> {
  const customer = firstCustomer(network)
  const arbiter = makeEscrowCaller({
    rpcUrl: network.rpc_url,
    contracts: { jobEscrow: toAddress(network.contracts.job_escrow) },
    privateKey: network.arbiter.private_key as Hex,
  })
  const disputed = async () => {
    const id = await answered(network)
    await jobSettles(customer, id)
    bodyOf(
      await send(customer, `/jobs/${id}/dispute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: { received_output_hash: hashOf('something else') },
      }),
    )
    await jobBecomes(customer, id, ({ status }) => status === 'disputed')
    return id
  }
  const jobs = {
    refunded: await disputed(),
    rejected: await disputed(),
    disputed: await disputed(),
    settled: await settledJob(network),
  }
  await arbiter.resolveDispute(toJobId(jobs.refunded), true)
  await arbiter.resolveDispute(toJobId(jobs.rejected), false)
  await jobBecomes(customer, jobs.refunded, ({ status }) => status === 'refunded')
  await jobSettles(customer, jobs.rejected)
  return jobs
}

/** One that can still be disputed for as long as the window is. */
export async function settledJob(network: Network): Promise<string> {
  const id = await answered(network)
  await jobSettles(firstCustomer(network), id)
  return id
}

async function answered(network: Network): Promise<string> {
  const messages = [{ role: 'user', content: 'What does escrow mean?' }]
  const answer = await chat(firstCustomer(network), { model: MODEL, messages, max_tokens: 40 })
  return bodyOf<Completion>(answer).id.replace(/^chatcmpl-/, '')
}

async function stakedWorker(network: Network, jobId: string): Promise<string> {
  const { worker_staking, r_compute } = network.contracts
  const job = await jobSettles(firstCustomer(network), jobId)
  const worker = String(job.worker_address)
  const key = workerKey(network, worker)
  const visitor = await signedInVisitor(network)
  const wallet = network.wallet.address
  await visitor.post('/api/development/fund', { wallet })
  const id = await reader(network).readContract({
    ...{ address: worker_staking as Hex, abi: workerStakingAbi },
    ...{ functionName: 'workerIdOf', args: [worker as Hex] },
  })
  const amount = parseUnits('1500', 18)
  const owner = network.wallet.private_key as Hex
  await write(network, key, worker_staking, workerStakingAbi, 'setPayee', [id, wallet])
  await write(network, owner, r_compute, rComputeAbi, 'approve', [worker_staking, amount])
  await write(network, owner, worker_staking, workerStakingAbi, 'stake', [id, amount])
  return worker
}

async function purchaseAndThaw(network: Network): Promise<void> {
  const { wallet, contracts } = network
  const { usdg, job_escrow: escrow } = contracts
  const key = wallet.private_key as Hex
  const units = 25n * 1_000_000n
  await write(network, key, usdg, devUsdgAbi, 'mint', [wallet.address, units])
  await write(network, key, usdg, devUsdgAbi, 'approve', [escrow, units])
  await write(network, key, escrow, jobEscrowAbi, 'deposit', [wallet.address, 2_500n])
  await write(network, key, escrow, jobEscrowAbi, 'requestWithdrawal', [400n])
}

async function proposed(network: Network): Promise<string> {
  const { wallet, contracts } = network
  const key = wallet.private_key as Hex
  await write(network, key, contracts.r_compute, rComputeAbi, 'delegate', [wallet.address])
  const node = createPublicClient({ transport: headFollowing(network.rpc_url) })
  // Votes count from the next second of the chain on.
  await pause(2_000)
  const calldata = encodeFunctionData({
    ...{ abi: modelRegistryAbi, functionName: 'retire', args: [RETIRED] },
  })
  const why = `Retire ${RETIRED}: Its successor answers better at the same price, and nobody has asked for it in a month.`
  const args = [[contracts.model_registry], [0n], [calldata], why]
  await write(network, key, contracts.governor, computeGovernorAbi, 'propose', args)
  const [made] = await node.getContractEvents({
    ...{ address: contracts.governor as Hex, abi: computeGovernorAbi },
    ...{ eventName: 'ProposalCreated', fromBlock: 0n },
  })
  return String(made?.args.proposalId)
}

const reader = ({ rpc_url }: Network) => createPublicClient({ transport: headFollowing(rpc_url) })

async function write(
  network: Network,
  key: Hex,
  address: string,
  abi: Abi,
  functionName: string,
  args: readonly unknown[],
): Promise<void> {
  const writer = makeWriter(network.rpc_url, key)
  const call = { address: address as Hex, abi, functionName, args, chain: null }
  const hash = await writer.writeContract(call)
  await mined(reader(network), hash)
}

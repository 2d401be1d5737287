import {
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  parseSignature,
  toEventSelector,
  type Hex as ViemHex,
} from 'viem'
import { type Address, type TxHash, toHex32 } from '../domain/ids.ts'
import type { KeeperOutcome } from '../ports/keeper.ts'
import type { DepositRelay, RelayOutcome, SignedDeposit } from '../ports/web-chain.ts'
import { devUsdgAbi, jobEscrowAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import type { Rpc } from './rpc/json-rpc.ts'
import { readLogs } from './rpc/log-ranges.ts'
import { askOfNextBlock } from './rpc/next-block.ts'
import type { Sender } from './sender.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly sender: Sender
}

/** More wait at their wallets' side: each takes about a block. */
const WAITING_MAX = 50
const AUTHORIZATION_USED = toEventSelector('AuthorizationUsed(address,bytes32)')
/** A deposit that was used longer ago was not just asked for twice. */
const LOOK_BACK_BLOCKS = 1_000

/**
 * What is signed can be used once, so that nothing has to be remembered here: a repeat finds what the
 * first one did, on the chain or on its way.
 */
export function makeDepositRelay(options: Options): DepositRelay {
  const { contracts, sender } = options
  const underWay = new Map<string, Promise<RelayOutcome>>()

  const submit = async (deposit: SignedDeposit, nonce: ViemHex): Promise<RelayOutcome> => {
    const call = dataOf(deposit)
    if (!call) return { type: 'refused', reason: 'ERC3009InvalidSignature' }
    const before = await usedBy(options, deposit, nonce)
    if (before) return before
    if (sender.waiting >= WAITING_MAX) {
      return { type: 'unavailable', reason: 'too many deposits wait for their turn' }
    }
    const sent = await sender.broadcast({ to: contracts.jobEscrow, data: call })
    if (typeof sent === 'string') return { type: 'sent', tx: sent }
    // Somebody else may have handed it in meanwhile; or before, as another process or an earlier life of this one,
    // and it is in no block yet.
    const since = await usedBy(options, deposit, nonce)
    if (since) return since
    return (await isUnderWay(options, deposit, nonce)) ? { type: 'under_way' } : toOutcome(sent)
  }

  return {
    submit: (deposit) => {
      const nonce = nonceOf(deposit)
      const place = `${deposit.wallet} ${nonce}`
      const running = underWay.get(place)
      if (running) return running
      const started = submit(deposit, nonce).finally(() => underWay.delete(place))
      underWay.set(place, started)
      return started
    },
  }
}

function toOutcome(outcome: KeeperOutcome): RelayOutcome {
  switch (outcome.type) {
    case 'done':
      return { type: 'sent', tx: outcome.tx }
    case 'too_dear':
      return { type: 'unavailable', reason: 'gas costs more than we pay at the moment' }
    case 'unfunded':
      return { type: 'unavailable', reason: 'the address that pays for gas has too little coin' }
    default:
      return { type: 'refused', reason: outcome.reason }
  }
}

/** As `JobEscrow.authorizationNonce`. */
const nonceOf = ({ wallet, salt }: SignedDeposit): ViemHex =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [wallet, salt]))

function dataOf(deposit: SignedDeposit): ViemHex | undefined {
  const { wallet, credits, validAfter, validBefore, salt } = deposit
  const parts = partsOf(deposit.signature)
  if (!parts) return undefined
  const args = [wallet, wallet, credits, { validAfter, validBefore, salt, ...parts }] as const
  return encodeFunctionData({ abi: jobEscrowAbi, functionName: 'depositWithAuthorization', args })
}

function partsOf(signature: ViemHex): { v: number; r: ViemHex; s: ViemHex } | undefined {
  try {
    const { r, s, yParity } = parseSignature(signature)
    return { v: 27 + yParity, r, s }
  } catch {
    return undefined // not a signature of an account with a key
  }
}

/** What a deposit that was handed in already came to; undefined: it was not. */
async function usedBy(
  { rpc, contracts }: Options,
  { wallet }: SignedDeposit,
  nonce: ViemHex,
): Promise<RelayOutcome | undefined> {
  const isUsed = await rpc.call<ViemHex>('eth_call', [
    stateCall(contracts, wallet, nonce),
    'latest',
  ])
  if (BigInt(isUsed) === 0n) return undefined
  const tx = await transactionOf({ rpc, contracts }, [
    AUTHORIZATION_USED,
    `0x${wallet.slice(2).padStart(64, '0')}`,
    nonce,
  ])
  return tx ? { type: 'sent', tx } : { type: 'refused', reason: 'ERC3009UsedAuthorization' }
}

/** Whether the next block will use it, as far as the node tells of that. */
async function isUnderWay(
  { rpc, contracts }: Options,
  { wallet }: SignedDeposit,
  nonce: ViemHex,
): Promise<boolean> {
  const asked = [stateCall(contracts, wallet, nonce)]
  return BigInt(await askOfNextBlock<ViemHex>(rpc, 'eth_call', asked)) !== 0n
}

function stateCall({ usdg }: Contracts, wallet: Address, nonce: ViemHex) {
  const about = { abi: devUsdgAbi, functionName: 'authorizationState' } as const
  return { to: usdg, data: encodeFunctionData({ ...about, args: [wallet, nonce] }) }
}

async function transactionOf(
  { rpc, contracts }: Pick<Options, 'rpc' | 'contracts'>,
  topics: readonly ViemHex[],
): Promise<TxHash | undefined> {
  const head = Number(await rpc.call<ViemHex>('eth_blockNumber', []))
  const from = Math.max(contracts.deployBlock, head - LOOK_BACK_BLOCKS)
  const [log] = await readLogs(rpc, { address: contracts.usdg, topics }, from, head)
  return log?.transactionHash ? toHex32(log.transactionHash) : undefined
}

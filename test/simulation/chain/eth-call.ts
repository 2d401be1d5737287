import { roleId } from '../../../src/chain/deploy/role-ids.ts'
import { RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { type Address, jobIdFromBytes32 } from '../../../src/domain/ids.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import type { SimBlock } from './blocks.ts'
import { decodeCall, readCall } from './call-data.ts'
import type { SimChain } from './chain.ts'
import { hasRole } from './contract.ts'
import { earningsNow, treasuryNow } from './contract-earnings.ts'
import type { Worker } from './contract-state.ts'
import { totalOf } from './earnings.ts'
import { word } from './logs.ts'
import { Scene } from './scene.ts'

const ROLES = ['LOCKER', 'SETTLER'] as const
const NOBODY = `0x${'00'.repeat(20)}` as Address

/** What the contracts answer to a question, as words of 32 bytes. */
export function answerCall(
  chain: SimChain,
  block: SimBlock | undefined,
  { data }: { readonly data: Hex },
): Hex {
  if (!block) throw new RpcError('eth_call', -32000, 'BlockOutOfRange')
  const { name, args } = readCall(data)
  const words = wordsOf(chain, block, name, args, data)
  return `0x${words.map(word).join('')}`
}

function wordsOf(
  chain: SimChain,
  block: SimBlock,
  name: string,
  args: readonly unknown[],
  data: Hex,
): readonly (bigint | number)[] {
  const { state } = block
  const { contract } = chain
  const scene = new Scene(state, contract, block.at)
  const address = String(args[0]).toLowerCase() as Address
  const holder = String(args[1]).toLowerCase() as Address
  switch (name) {
    case 'accounts': {
      const { available, locked, thawing, lastDepositAt } = state.account(address)
      return [available, locked, thawing, lastDepositAt]
    }
    case 'withdrawalNonce':
      return [state.account(address).voucherNonce]
    case 'workerIdOf': {
      const id = state.workerIds.get(address) ?? 0
      return [state.workers.get(id)?.deactivated ? 0 : id]
    }
    case 'register': {
      const error = chain.tryOut(NOBODY, decodeCall(data), block)
      if (error !== undefined) throw new RpcError('eth_call', 3, error)
      return [0]
    }
    case 'hasRole':
      return [
        ROLES.some((role) => args[0] === roleId(role) && hasRole(scene, role, holder)) ? 1 : 0,
      ]
    case 'EXPIRY_SECONDS':
      return [contract.expirySeconds]
    case 'DISPUTE_SECONDS':
      return [contract.disputeSeconds]
    case 'ARBITRATION_SECONDS':
      return [contract.arbitrationSeconds]
    case 'MINIMUM_DEPOSIT_CREDITS':
      return [contract.minimumDeposit]
    case 'depositAddress':
      return [BigInt(contract.depositAddress(address))]
    case 'balanceOf':
      return [state.tokensOf(address)]
    case 'earnings':
      return [totalOf(earningsNow(scene, args[0] as number))]
    case 'claimableEarnings':
      return [earningsNow(scene, args[0] as number).due]
    case 'treasuryUnits':
      return [totalOf(treasuryNow(scene))]
    case 'claimableTreasury':
      return [treasuryNow(scene).due]
    case 'punished': {
      const jobId = jobIdFromBytes32(String(args[1]))
      return [jobId.ok && state.punished.has(`${args[0]} ${jobId.value}`) ? 1 : 0]
    }
    case 'workers':
      return workerWords(state.workers.get(args[0] as number))
    default:
      throw new Error(`the simulated chain does not answer ${name}`)
  }
}

/** In the order of the struct Worker. */
function workerWords(worker: Worker | undefined): readonly (bigint | number)[] {
  if (!worker) return [0, 0, 0, 0, 0, 0]
  const { signer, payee, deactivated, active, unbonding } = worker
  return [BigInt(signer), 0, deactivated ? 1 : 0, BigInt(payee), active, unbonding]
}

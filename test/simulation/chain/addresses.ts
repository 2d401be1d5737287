import { ABI_HASH } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import { privateKeyAddress } from '../../../src/domain/proof.ts'
import type { Hex } from '../../../src/ports/escrow.ts'

/** Where the contracts of every life are, and whose keys do what. */
const at = (byte: string): Address => toAddress(`0x${byte.repeat(20)}`)
export const ESCROW = at('e5')
export const WORKER_STAKING = at('a5')
export const TOKEN = at('70')
export const TREASURY = at('77')

export const CONTRACTS: Contracts = {
  chainId: 31_337,
  jobEscrow: ESCROW,
  workerStaking: WORKER_STAKING,
  usdg: TOKEN,
  rCompute: at('c0'),
  modelRegistry: at('3d'),
  governor: at('60'),
  timelock: at('71'),
  deployBlock: 1,
  abiHash: ABI_HASH,
}

const key = (byte: string): Hex => `0x${byte.repeat(32)}`
export const KEYS = {
  lock: key('11'),
  settle: key('12'),
  keeper: key('13'),
  withdrawalSigner: key('14'),
  arbiter: key('15'),
  pauser: key('16'),
  admin: key('17'),
} as const satisfies Record<string, Hex>
export type Holder = keyof typeof KEYS

const keyBytes = (of: Hex): Buffer => Buffer.from(of.slice(2), 'hex')
export const ADDRESSES = Object.fromEntries(
  Object.entries(KEYS).map(([holder, of]) => [holder, privateKeyAddress(keyBytes(of))]),
) as Readonly<Record<Holder, Address>>

import { connectKeeper } from '../../../src/chain/keeper.ts'
import { makeReader } from '../../../src/chain/read/reader.ts'
import { makeLocalSigner } from '../../../src/chain/send/transaction.ts'
import { makeVouchers } from '../../../src/chain/vouchers.ts'
import { type GasTerms, makeEscrowWriter } from '../../../src/chain/writer.ts'
import type { Hex32 } from '../../../src/domain/ids.ts'
import type { EscrowReader, EscrowWriter, Hex } from '../../../src/ports/escrow.ts'
import type { KeeperReader, KeeperWriter } from '../../../src/ports/keeper.ts'
import type { TransactionSigner } from '../../../src/ports/signer.ts'
import type { Vouchers } from '../../../src/ports/vouchers.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import type { Node, World } from '../world.ts'
import { CONTRACTS, KEYS } from './addresses.ts'
import { decodeCall } from './call-data.ts'
import type { Call } from './calls.ts'
import { type ChainTerms, SimChain } from './chain.ts'
import { type SignedByBytes, simRpc } from './node-rpc.ts'
import { contractTerms } from './terms.ts'

/** What a process holds of the chain: the house's own adapters, on a simulated node. */
export interface ChainPorts {
  readonly reader: EscrowReader
  readonly writer: EscrowWriter
  readonly vouchers: Vouchers
  readonly keeperReader: KeeperReader
  readonly keeperWriter: KeeperWriter
}

export interface SettlementChain {
  readonly chain: SimChain
  /** What a transaction asks for that was signed here, or mined; undefined: there was none of this hash. */
  callOf(hash: Hex32): Call | undefined
  /** For a process; its signatures are the same in each of its lives. */
  connect(node: Node, terms?: Partial<GasTerms>): ChainPorts
}

const CHAIN_TERMS: ChainTerms = {
  blockMs: 1_000,
  baseFeeWei: 1_000_000_000n,
  trouble: 1,
}
/** A hundredth of it, which is the least that may be set, is soon reached. */
const SETTLE_CAP_MAX = 10_000n
const NO_URL = 'http://nowhere.invalid'

/** One chain a life. Call `chain.start()` for blocks to come. */
export function makeSettlementChain(
  world: World,
  terms: Partial<ChainTerms> = {},
  spans: Parameters<typeof contractTerms>[0] = {},
): SettlementChain {
  const contract = contractTerms(spans, CONTRACTS, undefined, SETTLE_CAP_MAX)
  const chain = new SimChain(world, contract, { ...CHAIN_TERMS, ...terms })
  const signed: SignedByBytes = new Map()
  return {
    chain,
    callOf: (hash) => {
      for (const own of signed.values()) {
        if (own.hash === hash) return decodeCall(own.transaction.data)
      }
      return chain.everMined(hash)?.call
    },
    connect: (node, gas = {}) => connect({ chain, signed }, node, gas),
  }
}

function connect(
  { chain, signed }: { readonly chain: SimChain; readonly signed: SignedByBytes },
  node: Node,
  terms: Partial<GasTerms>,
): ChainPorts {
  const { log } = node
  const rpc = simRpc({ chain, node, signed })
  const common = { rpcUrl: NO_URL, rpc, contracts: CONTRACTS, log }
  const signer = (key: Hex) => makeSimSigner(signed, key)
  const blocks = { onBlock: (call: () => void) => hearBlocks(chain, node, call) }
  const keeper = connectKeeper({ ...common, signer: signer(KEYS.keeper) })
  return {
    reader: makeReader({ ...common, blocks: { ...blocks, close: () => {} } }),
    writer: makeEscrowWriter({
      ...common,
      signers: { lock: signer(KEYS.lock), settle: signer(KEYS.settle) },
      terms: { ...GAS_TERMS, ...terms },
    }),
    vouchers: makeVouchers({ ...common, privateKey: KEYS.withdrawalSigner }),
    keeperReader: keeper.reader,
    keeperWriter: keeper.writer,
  }
}

/** By key: the same few in all lives of a process, and an address costs a point of the curve. */
const localSigners = new Map<Hex, ReturnType<typeof makeLocalSigner>>()

function localSigner(key: Hex): ReturnType<typeof makeLocalSigner> {
  const signer = localSigners.get(key) ?? makeLocalSigner(key)
  localSigners.set(key, signer)
  return signer
}

/** The bytes are real; who signed them is written down, so that nobody need take them apart. */
function makeSimSigner(signed: SignedByBytes, key: Hex): TransactionSigner {
  const signer = localSigner(key)
  return {
    address: signer.address,
    sign: async (transaction) => {
      const done = await signer.sign(transaction)
      signed.set(done.raw, { hash: done.hash, sender: signer.address, transaction })
      return done
    },
  }
}

/** As a process that asks for the head now and then: soon, and not while the chain is out of reach. */
function hearBlocks(chain: SimChain, node: Node, call: () => void): () => void {
  const hear = () => {
    if (!chain.isDown) node.receive('chain', call)
  }
  const stop = chain.onBlock(hear)
  node.onDeath(stop)
  return stop
}

import type { Batch } from '../../ports/escrow.ts'

/** A transaction may not ask for more (EIP-7825). */
const TRANSACTION_GAS_MAX = 16_777_216n
/** Of a block's gas: a transaction that asks for more waits for a block that is nearly empty. */
const BLOCK_SHARE = 2n

const GAS: Readonly<Record<Batch['type'], { readonly fixed: number; readonly item: number }>> = {
  lock: { fixed: 80_000, item: 55_000 },
  settle: { fixed: 120_000, item: 80_000 },
  refund: { fixed: 60_000, item: 45_000 },
  dispute: { fixed: 90_000, item: 35_000 },
  register: { fixed: 250_000, item: 0 },
}

/**
 * A fixed formula, well above the dearest item measured: asking the node would cost a round trip a
 * batch. Gas that is not used is not paid; a batch that does run out is split by its lane.
 * @param percent of the formula: above 100 on chains whose gas pays for more than execution
 */
export function gasOf(batch: Batch, percent = 100): bigint {
  const { fixed, item } = GAS[batch.type]
  return BigInt(Math.ceil(((fixed + item * batch.items.length) * percent) / 100))
}

/** @param blockGas what a block has room for; undefined while that is not known */
export function gasMax(blockGas: bigint | undefined): bigint {
  if (blockGas === undefined) return TRANSACTION_GAS_MAX
  const share = blockGas / BLOCK_SHARE
  return share < TRANSACTION_GAS_MAX ? share : TRANSACTION_GAS_MAX
}

/** @returns at least 1: whether that one fits is the node's to say */
export function itemsThatFit(type: Batch['type'], max: bigint, percent = 100): number {
  const { fixed, item } = GAS[type]
  if (item === 0) return 1
  return Math.max(1, Math.floor(((Number(max) * 100) / percent - fixed) / item))
}

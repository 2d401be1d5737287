import { type Address, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import type { UnixMs } from '../../../src/domain/time.ts'
import {
  type CreditLow,
  type CreditTopup,
  factId,
  slashedId,
  type WorkerSlashed,
} from '../../../src/messages/fact.ts'

const TX = toHex32(`0x${'11'.repeat(32)}`)
const WORKER = toAddress(`0x${'dd'.repeat(20)}`)

/** @param place tells apart what is otherwise the same */
export const topupFact = (wallet: Address, at: UnixMs, place: number): CreditTopup => ({
  id: factId('credit.topup', { wallet, tx: TX, place }),
  type: 'credit.topup',
  wallet,
  at,
  data: { credits_added: 100, credits_remaining: 100, usdg_value: 1, tx: TX, block_number: 7 },
})

export const lowFact = (wallet: Address, at: UnixMs, place: number): CreditLow => ({
  id: factId('credit.low', { wallet, tx: TX, place }),
  type: 'credit.low',
  wallet,
  at,
  data: { credits_remaining: 92, usdg_value: 0.92, threshold: 100 },
})

export const slashedFact = (at: UnixMs, place: number): WorkerSlashed => ({
  id: slashedId(WORKER, TX, place),
  type: 'worker.slashed',
  worker: WORKER,
  at,
  data: {
    worker_address: WORKER,
    slash_amount_rcompute: 100,
    slash_tx: TX,
    reason: 'fraudulent_proof',
    related_job_id: 'job_0',
  },
})

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TransactionReceiptNotFoundError } from 'viem'
import { makeDeployer, type Reader } from '../../../src/chain/deploy/deployer.ts'
import type { Sent } from '../../../src/chain/deploy/record.ts'

/** What became of a transaction of a deployment, by a node that shows its receipt late. */
const Outcome = suite('outcome of a transaction')
const KEY = `0x${'11'.repeat(32)}` as const
const [FIRST, SECOND] = [`0x${'aa'.repeat(32)}`, `0x${'bb'.repeat(32)}`] as const
const SENT: Sent = { nonce: 8, content: '0x', hashes: [FIRST, SECOND], raw: '0x' }

type AskReceipt = (asked: { hash: string }) => Promise<{ status: string }>

function deployerOn(getTransactionReceipt: AskReceipt) {
  return makeDeployer({ getTransactionReceipt } as unknown as Reader, KEY)
}

Outcome('a receipt that is not there yet is asked for again', async () => {
  let asked = 0
  const deployer = deployerOn(async ({ hash }) => {
    if (hash === SECOND && ++asked > 3) return { status: 'success' }
    throw new TransactionReceiptNotFoundError({ hash: FIRST })
  })
  assert.is(await deployer.outcomeOf(SENT), 'success')
})

Outcome('a node that cannot say is not taken for one that knows of none', async () => {
  const deployer = deployerOn(async () => {
    throw new Error('no answer')
  })
  const failure = await deployer.outcomeOf(SENT).catch((error: unknown) => error)
  assert.match((failure as Error).message, 'no answer')
})

Outcome.run()

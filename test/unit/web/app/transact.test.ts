import { setTimeout as pause } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createClient, custom, numberToHex } from 'viem'
import type { Config } from 'wagmi'
import { included } from '../../../../src/web/app/wallet/transact.ts'
import { SOON_MS } from '../../../until.ts'

const Transact = suite('waiting for a transaction of the wallet')

const WALLET = `0x${'1'.repeat(40)}`
const ESCROW = `0x${'2'.repeat(40)}`
const ASKED = `0x${'a'.repeat(64)}` as const
const OTHER = `0x${'b'.repeat(64)}`

interface Sent {
  readonly hash: string
  readonly to?: string
  readonly input?: string
  readonly status?: '0x0' | '0x1'
  /** So many times the node knows the block, and not yet the receipts in it. */
  readonly lateTimes?: number
}

const WHO = { from: WALLET, to: ESCROW, nonce: '0x7' }
const TRANSACTION = { hash: ASKED, ...WHO, value: '0x0', input: '0x01' }

type Answers = Record<string, (params: readonly unknown[]) => unknown>

function chainOf(answers: Answers): Config {
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) =>
    answers[method]?.(params ?? [])
  const client = createClient({ transport: custom({ request }), pollingInterval: 5 })
  return { getClient: () => client } as unknown as Config
}

/** A chain whose only block has `sent`, in place of what was asked for or as that itself. */
function chainWith({
  hash,
  to = ESCROW,
  input = '0x01',
  status = '0x1',
  lateTimes = 0,
}: Sent): Config {
  let asks = 0
  const transactions = [{ ...TRANSACTION, hash, to, input }]
  return chainOf({
    eth_blockNumber: () => numberToHex(1),
    eth_getTransactionByHash: () => TRANSACTION,
    eth_getBlockByNumber: () => ({ number: '0x1', transactions }),
    eth_getTransactionReceipt: ([of]) =>
      of === hash && ++asks > lateTimes
        ? { transactionHash: hash, blockNumber: '0x1', status }
        : null,
  })
}

const refusalOf = (config: Config): Promise<string> =>
  included(config, ASKED).then(
    (tx) => assert.unreachable(tx) as never,
    (error: Error) => error.message,
  )

Transact('in a block, as it was sent or with a higher fee: its hash', async () => {
  assert.is(await included(chainWith({ hash: ASKED }), ASKED), ASKED)
  assert.is(await included(chainWith({ hash: OTHER }), ASKED), OTHER)
})

Transact('a receipt that comes after its block is waited for', async () => {
  assert.is(await included(chainWith({ hash: ASKED, lateTimes: 6 }), ASKED), ASKED)
})

Transact('its block comes while the one before is looked at, and no other after it', async () => {
  let head = 1
  const receipt = { transactionHash: ASKED, blockNumber: '0x2', status: '0x1' }
  const config = chainOf({
    eth_blockNumber: () => numberToHex(head),
    eth_getTransactionByHash: () => TRANSACTION,
    eth_getTransactionReceipt: () => (head === 2 ? receipt : null),
    eth_getBlockByNumber: async () => {
      head = 2
      await pause(50)
      return { number: '0x1', transactions: [] }
    },
  })
  assert.is(
    await Promise.race([included(config, ASKED), pause(SOON_MS, 'still waiting', { ref: false })]),
    ASKED,
  )
})

Transact('cancelled in the wallet, or another in its place: it is not done', async () => {
  const cancelled = chainWith({ hash: OTHER, to: WALLET, input: '0x' })
  assert.match(await refusalOf(cancelled), /did nothing/)
  assert.match(await refusalOf(chainWith({ hash: OTHER, input: '0x02' })), /did nothing/)
})

Transact('failed on chain: says which one', async () => {
  assert.match(await refusalOf(chainWith({ hash: ASKED, status: '0x0' })), new RegExp(ASKED))
})

Transact.run()

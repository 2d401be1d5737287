import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keccak256, numberToHex } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { makeEscrowWriter } from '../../../src/chain/writer.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { type Hex, LaneConflict, NonceGap, TransactionRefused } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { SIGNERS } from '../../fakes/chain/anvil.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { job, lock } from '../../fakes/chain/intents.ts'

/** Nodes that refuse a transaction which is in a block already, for another reason than its nonce. */
const Refused = suite('a transaction that was mined and is refused')

const log = makeLog('test', 'silent')
const to = toAddress(`0x${'e5'.repeat(20)}`)
const contracts = { chainId: 31_337, deployBlock: 0, jobEscrow: to } as unknown as Contracts

/**
 * @param words with which it refuses whatever it is sent
 * @param nonce the next one by its blocks
 */
function openWriter(words: string, mined: readonly Hex[], nonce = 4) {
  const answer = (method: string, first: unknown): unknown => {
    switch (method) {
      case 'eth_feeHistory':
        return { baseFeePerGas: ['0x7', '0x7'], reward: [] }
      case 'eth_getBlockByNumber':
        return { hash: '0x', gasLimit: '0x1c9c380' }
      case 'eth_getBalance':
        return '0x0'
      case 'eth_getTransactionCount':
        return numberToHex(nonce)
      case 'eth_getTransactionReceipt':
        return mined.some((raw) => keccak256(raw) === first)
          ? { status: '0x1', blockNumber: '0x2', transactionHash: first, logs: [] }
          : null
      default:
        throw new RpcError(method, -32_000, words)
    }
  }
  const call = async <Result>(method: string, [first]: readonly unknown[]) =>
    answer(method, first) as Result
  const rpc: Rpc = { call, close: async () => {} }
  const terms = { rpcUrl: 'http://127.0.0.1:1', contracts, signers: SIGNERS, log, terms: GAS_TERMS }
  return makeEscrowWriter({ ...terms, rpc })
}

for (const words of [
  'insufficient funds for gas * price + value',
  'tx fee (1.61 ether) exceeds the configured cap (1.00 ether)',
  'nothing to be done for it',
]) {
  Refused(`"${words}": its receipt is looked for all the same`, async () => {
    const mined: Hex[] = []
    const writer = openWriter(words, mined)
    const transaction = await writer.sign('lock', 4, { type: 'lock', items: [lock(job(1))] })
    let told = 0
    const send = () => writer.send('lock', { transaction, earlier: [] }, () => told++)
    assert.match(String(await send().catch((error: unknown) => error)), words)
    mined.push(transaction.raw)
    const receipt = await send()
    assert.ok(receipt !== 'stuck')
    assert.equal([receipt.hash, receipt.block, told], [transaction.hash, 2, 1])
  })
}

Refused('in words that are not known: told as that, and not as a node that is down', async () => {
  const writer = openWriter('the moon is too full', [])
  const transaction = await writer.sign('lock', 4, { type: 'lock', items: [lock(job(1))] })
  const sent = writer.send('lock', { transaction, earlier: [] }, () => {})
  const error = await sent.catch((thrown: unknown) => thrown)
  assert.instance(error, TransactionRefused)
  assert.is((error as Error).message, 'the moon is too full')
})

/** Ethermint's, of any nonce but the next one; and those of a node that looks into the purse first. */
for (const words of [
  'invalid nonce; got 4, expected 5: invalid sequence: invalid request',
  'insufficient funds for gas * price + value',
]) {
  Refused(`"${words}": that its nonce went to another is found out all the same`, async () => {
    const writer = openWriter(words, [], 5)
    const transaction = await writer.sign('lock', 4, { type: 'lock', items: [lock(job(1))] })
    const sent = writer.send('lock', { transaction, earlier: [] }, () => {})
    assert.instance(await sent.catch((thrown: unknown) => thrown), LaneConflict)
  })
}

Refused(
  'a chain that has gone back, in words that are not known: found out all the same',
  async () => {
    const writer = openWriter('invalid nonce; got 4, expected 2: invalid sequence', [], 2)
    const transaction = await writer.sign('lock', 4, { type: 'lock', items: [lock(job(1))] })
    const sent = writer.send('lock', { transaction, earlier: [] }, () => {})
    assert.instance(await sent.catch((thrown: unknown) => thrown), NonceGap)
  },
)

Refused.run()

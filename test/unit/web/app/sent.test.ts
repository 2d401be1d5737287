import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createClient, custom, numberToHex } from 'viem'
import { keptByBrowser } from '../../../../src/web/app/session/kept.ts'
import {
  all,
  forget,
  leaveUntold,
  noteSender,
  onSentChange,
  remember,
  SENT_ITEM,
  sentVersion,
  untold,
} from '../../../../src/web/app/wallet/sent.ts'
import { isOver, whereabouts } from '../../../../src/web/app/wallet/whereabouts.ts'

const SentSuite = suite('transactions that were sent')

const WALLET = `0x${'1'.repeat(40)}` as const
const hashOf = (digit: string) => `0x${digit.repeat(64)}` as const
const HASH = hashOf('a')
const sent = (hash = HASH) => ({
  ...{ hash, wallet: WALLET, chainId: 1, place: '/buy', what: 'Buy 100 credits' },
})

SentSuite.before.each(() => {
  for (const { hash } of all()) forget(hash)
  keptByBrowser.removeItem(SENT_ITEM)
})

SentSuite('told by who sent it, then by the page, until its end is known', () => {
  let changes = 0
  const stop = onSentChange(() => changes++)
  remember(sent())
  const version = sentVersion()
  assert.is(all().length, 1)
  assert.is(untold().length, 0)
  leaveUntold(HASH)
  assert.is.not(sentVersion(), version)
  assert.is(untold()[0]?.what, 'Buy 100 credits')
  forget(HASH)
  assert.equal(all(), [])
  assert.is(keptByBrowser.getItem(SENT_ITEM), null)
  assert.is(changes, 3)
  stop()
  remember(sent())
  assert.is(changes, 3)
})

SentSuite('newest first, twenty at most, and for a day', () => {
  for (let i = 0; i < 25; i++) remember(sent(`0x${i.toString(16).padStart(64, '0')}`))
  assert.is(all().length, 20)
  assert.is(all()[0]?.hash, `0x${(24).toString(16).padStart(64, '0')}`)
  const old = { ...sent(), at: Date.now() - 25 * 3_600_000 }
  keptByBrowser.setItem(SENT_ITEM, JSON.stringify([old]))
  assert.equal(all(), [])
})

SentSuite('who sent it is learned once', () => {
  remember(sent())
  noteSender(HASH, { from: WALLET, nonce: 7 })
  noteSender(HASH, { from: WALLET, nonce: 8 })
  noteSender(hashOf('b'), { from: WALLET, nonce: 9 })
  assert.equal(
    all().map(({ sender }) => sender?.nonce),
    [7],
  )
})

for (const text of ['{', 'null', '{"a":1}', '[null,{"hash":1}]']) {
  SentSuite(`what another version has kept is nothing: ${text}`, () => {
    keptByBrowser.setItem(SENT_ITEM, text)
    assert.equal(all(), [])
  })
}

/** A node that knows the transaction, its receipt, and how many its sender has in blocks. */
function nodeWith(known: { pending?: boolean; status?: '0x0' | '0x1'; used?: number }) {
  const answers: Record<string, unknown> = {
    eth_getTransactionReceipt:
      known.status === undefined
        ? null
        : { transactionHash: HASH, blockNumber: '0x1', status: known.status },
    eth_getTransactionByHash: known.pending
      ? { hash: HASH, from: WALLET, nonce: '0x7', value: '0x0', input: '0x' }
      : null,
    eth_getTransactionCount: numberToHex(known.used ?? 0),
  }
  return createClient({
    transport: custom({ request: async ({ method }: { method: string }) => answers[method] }),
  })
}

const SENDER = { from: WALLET, nonce: 7 }

for (const [name, known, sender, wanted] of [
  ['in a block', { status: '0x1' }, undefined, { state: 'included' }],
  ['refused on chain', { status: '0x0' }, undefined, { state: 'failed' }],
  ['in no block', { pending: true }, undefined, { state: 'waiting', sender: SENDER }],
  ['not known, and never was', {}, undefined, { state: 'unknown' }],
  ['dropped: its nonce is not used', { used: 7 }, SENDER, { state: 'unknown' }],
  ['replaced: its nonce is used', { used: 8 }, SENDER, { state: 'replaced' }],
] as const) {
  SentSuite(`where it is: ${name}`, async () => {
    const found = await whereabouts(nodeWith(known), { hash: HASH, ...(sender && { sender }) }, 0)
    assert.equal(found, wanted)
    assert.is(isOver(found), ['included', 'failed', 'replaced'].includes(wanted.state))
  })
}

SentSuite('into a block between two questions: not taken for a replaced one', async () => {
  let asked = 0
  const receipt = { transactionHash: HASH, blockNumber: '0x1', status: '0x1' }
  const request = async ({ method }: { method: string }) => {
    if (method === 'eth_getTransactionReceipt') return ++asked > 1 ? receipt : null
    return method === 'eth_getTransactionCount' ? '0x8' : null
  }
  const node = createClient({ transport: custom({ request }) })
  assert.equal(await whereabouts(node, { hash: HASH, sender: SENDER }), { state: 'included' })
})

SentSuite('in a block that one of several nodes lacks yet: nor then', async () => {
  let asked = 0
  const receipt = { transactionHash: HASH, blockNumber: '0x1', status: '0x1' }
  const request = async ({ method }: { method: string }) => {
    if (method === 'eth_getTransactionReceipt') return ++asked > 3 ? receipt : null
    return method === 'eth_getTransactionCount' ? '0x8' : null
  }
  const node = createClient({ transport: custom({ request }) })
  assert.equal(await whereabouts(node, { hash: HASH, sender: SENDER }, 0), { state: 'included' })
})

SentSuite('a node that is silent says nothing of it', async () => {
  const request = () => Promise.reject(new Error('away'))
  const node = createClient({ transport: custom({ request }, { retryCount: 0 }) })
  const silent = await whereabouts(node, { hash: HASH }).then(
    () => false,
    () => true,
  )
  assert.ok(silent)
})

SentSuite.run()

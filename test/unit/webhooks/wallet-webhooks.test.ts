import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  activate,
  add,
  fail,
  find,
  isFull,
  NO_WEBHOOKS,
  remove,
  viewOf,
} from '../../../actors/webhook/wallet-webhooks.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { type WalletWebhooks, WEBHOOKS_PER_WALLET } from '../../../src/messages/webhook.ts'

const Wallet = suite('webhooks of a wallet')

const at = toUnixMs
const webhook = (id: string) => ({
  id,
  url: 'https://example.com/',
  events: ['job.completed'] as const,
  createdAt: toUnixMs(0),
  apiVersion: '2026-06-01',
  status: 'active' as const,
  sealedSecret: 'v1.sealed',
})
function walletOf(...ids: string[]): WalletWebhooks {
  return ids.reduce((wallet, id) => {
    const added = add(wallet, webhook(id))
    assert.ok(added.ok)
    return added.value
  }, NO_WEBHOOKS)
}
const idsOf = ({ webhooks }: WalletWebhooks) => webhooks.map(({ id }) => id)
const codeOf = (result: ReturnType<typeof add>) => (result.ok ? '' : result.error.code)

Wallet('the newest comes first', () => {
  assert.equal(idsOf(walletOf('wh_1', 'wh_2', 'wh_3')), ['wh_3', 'wh_2', 'wh_1'])
})

Wallet('the same one twice is one, and stays as it was', () => {
  const wallet = walletOf('wh_1')
  const again = add(wallet, { ...webhook('wh_1'), url: 'https://other.example.com/' })
  assert.ok(again.ok)
  assert.is(again.value, wallet)
})

Wallet('there are twenty at most, and a deleted one makes room', () => {
  const full = walletOf(...Array.from({ length: WEBHOOKS_PER_WALLET }, (_, i) => `wh_${i}`))
  assert.ok(isFull(full))
  assert.is(codeOf(add(full, webhook('wh_more'))), 'webhook_limit_reached')
  assert.ok(add(full, webhook('wh_3')).ok, 'a repetition is no new one')
  const less = remove(full, 'wh_3')
  assert.ok(less.ok)
  assert.ok(add(less.value, webhook('wh_more')).ok)
})

Wallet('what is not there is neither deleted nor changed', () => {
  const wallet = walletOf('wh_1')
  assert.is(codeOf(remove(wallet, 'wh_2')), 'webhook_not_found')
  assert.is(codeOf(fail(wallet, 'wh_2', at(1))), 'webhook_not_found')
  assert.is(codeOf(activate(wallet, 'wh_2', at(1))), 'webhook_not_found')
})

Wallet('one fails alone; the same again changes nothing', () => {
  const wallet = walletOf('wh_1', 'wh_2')
  const failed = fail(wallet, 'wh_1', at(1))
  assert.ok(failed.ok)
  assert.equal(find(failed.value, 'wh_1'), { ...webhook('wh_1'), status: 'failed' })
  assert.is(find(failed.value, 'wh_2')?.status, 'active')
  const again = fail(failed.value, 'wh_1', at(2))
  assert.ok(again.ok && again.value === failed.value)
})

Wallet('what was owed before it was enabled does not make it fail again', () => {
  const enabled = activate(walletOf('wh_1'), 'wh_1', at(10))
  assert.ok(enabled.ok)
  const [before, after] = [fail(enabled.value, 'wh_1', at(9)), fail(enabled.value, 'wh_1', at(10))]
  assert.ok(before.ok && after.ok)
  assert.is(find(before.value, 'wh_1')?.status, 'active')
  assert.is(find(after.value, 'wh_1')?.status, 'failed')
})

Wallet('what others see holds no secret, not even a sealed one', () => {
  assert.not.match(JSON.stringify(viewOf(webhook('wh_1'))), 'sealed')
})

Wallet.run()

import type { Result } from '../../src/domain/result.ts'
import { err, ok } from '../../src/domain/result.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import {
  type WalletWebhooks,
  WEBHOOKS_PER_WALLET,
  type WebhookRecord,
  type WebhookRefusal,
  type WebhookView,
} from '../../src/messages/webhook.ts'

/** What may become of the webhooks of one wallet. Pure. */

export const NO_WEBHOOKS: WalletWebhooks = { webhooks: [] }

export const find = ({ webhooks }: WalletWebhooks, id: string): WebhookRecord | undefined =>
  webhooks.find((webhook) => webhook.id === id)

/** The webhook that the request of this name has made. */
export const madeBy = ({ webhooks }: WalletWebhooks, name: string): WebhookRecord | undefined =>
  webhooks.find((webhook) => requestOf(webhook) === name)
const requestOf = ({ requestName, id }: WebhookRecord): string => requestName ?? id

/** Where the request came twice, what it made first stays as it is. */
export function add(
  wallet: WalletWebhooks,
  webhook: WebhookRecord,
): Result<WalletWebhooks, WebhookRefusal> {
  if (madeBy(wallet, requestOf(webhook))) return ok(wallet)
  if (isFull(wallet)) return err(limitReached())
  return ok({ webhooks: [webhook, ...wallet.webhooks] })
}

export function remove(wallet: WalletWebhooks, id: string): Result<WalletWebhooks, WebhookRefusal> {
  if (!find(wallet, id)) return err(unknownWebhook(id))
  return ok({ webhooks: wallet.webhooks.filter((webhook) => webhook.id !== id) })
}

/** What was owed to it before `at` no longer says anything of it. */
export const activate = (
  wallet: WalletWebhooks,
  id: string,
  at: UnixMs,
): Result<WalletWebhooks, WebhookRefusal> =>
  replace(wallet, id, (webhook) => ({ ...webhook, status: 'active', activeSince: at }))

/** @param since when the delivery was owed that has failed for good */
export const fail = (
  wallet: WalletWebhooks,
  id: string,
  since: UnixMs,
): Result<WalletWebhooks, WebhookRefusal> =>
  replace(wallet, id, (webhook) =>
    webhook.status === 'failed' || since < (webhook.activeSince ?? 0)
      ? webhook
      : { ...webhook, status: 'failed' },
  )

function replace(
  wallet: WalletWebhooks,
  id: string,
  change: (webhook: WebhookRecord) => WebhookRecord,
): Result<WalletWebhooks, WebhookRefusal> {
  const webhook = find(wallet, id)
  if (!webhook) return err(unknownWebhook(id))
  const changed = change(webhook)
  if (changed === webhook) return ok(wallet)
  return ok({ webhooks: wallet.webhooks.map((each) => (each === webhook ? changed : each)) })
}

export const isFull = ({ webhooks }: WalletWebhooks): boolean =>
  webhooks.length >= WEBHOOKS_PER_WALLET

export const viewOf = ({
  sealedSecret: _,
  activeSince: _since,
  requestName: _name,
  ...view
}: WebhookRecord): WebhookView => view

export const limitReached = (): WebhookRefusal => ({
  code: 'webhook_limit_reached',
  message: `This wallet has ${WEBHOOKS_PER_WALLET} webhooks, and may have no more. Delete one that is no longer needed, or let one endpoint take more events.`,
  param: null,
})

export const unknownWebhook = (id: string): WebhookRefusal => ({
  code: 'webhook_not_found',
  message: `There is no webhook \`${id.slice(0, 64)}\` of this wallet. GET /v1/webhooks lists those that it has.`,
  param: null,
})

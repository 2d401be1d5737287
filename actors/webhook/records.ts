import type { Address } from '../../src/domain/ids.ts'
import { ok, type Result } from '../../src/domain/result.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import type { WalletWebhooks, WebhookRefusal } from '../../src/messages/webhook.ts'
import type { Registry } from '../../src/ports/registry.ts'
import { fail, NO_WEBHOOKS } from './wallet-webhooks.ts'

/** The webhooks of all wallets, as they are kept. */
export interface WebhookRecords {
  of(wallet: Address): Promise<WalletWebhooks>
  /**
   * Replaces the record of a wallet by what `change` makes of it, asked again where somebody else was
   * faster. @returns the record as it is now, or what `change` refused @throws the store refuses
   */
  change(wallet: Address, change: Change): Promise<Result<WalletWebhooks, WebhookRefusal>>
  /**
   * After the last attempt of a delivery that was owed since then. One that was deleted, or enabled, meanwhile is left
   * alone. @returns whether it has failed by this
   */
  fail(wallet: Address, webhookId: string, since: UnixMs): Promise<boolean>
}

type Change = (wallet: WalletWebhooks) => Result<WalletWebhooks, WebhookRefusal>

/** Each conflict is somebody's success: so many in a row are no traffic but a fault. */
const ATTEMPTS_MAX = 100

/** @param registry bucket WEBHOOKS */
export function makeWebhookRecords(registry: Registry): WebhookRecords {
  const read = async (wallet: Address) => {
    const entry = await registry.get(wallet)
    // Written by `change` alone.
    return {
      record: (entry?.value as WalletWebhooks | undefined) ?? NO_WEBHOOKS,
      revision: entry?.revision ?? 0,
    }
  }

  const change: WebhookRecords['change'] = async (wallet, change) => {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const { record, revision } = await read(wallet)
      const changed = change(record)
      if (!changed.ok || changed.value === record) return changed
      if ((await registry.put(wallet, changed.value, revision)) !== 'conflict') {
        return ok(changed.value)
      }
    }
    throw new Error(`the webhooks of ${wallet} are changed too often at once; try again`)
  }

  return {
    of: async (wallet) => (await read(wallet)).record,
    change,
    fail: async (wallet, webhookId, since) => {
      let hasFailed = false
      await change(wallet, (webhooks) => {
        const changed = fail(webhooks, webhookId, since)
        hasFailed = changed.ok && changed.value !== webhooks
        return changed
      })
      return hasFailed
    },
  }
}

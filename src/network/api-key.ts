import { connectNats } from '../bus/connect.ts'
import { apiKeyHash } from '../domain/hash.ts'
import type { KeyRecord } from '../messages/account.ts'
import { makeLog } from '../telemetry/log.ts'
import { addressOf, type Keys } from './keys.ts'

/** Lets the development wallet's API key in, whatever became of it since the last start. */
export async function storeApiKey(natsUrl: string, keys: Keys): Promise<void> {
  const log = makeLog('launcher', 'silent')
  const nats = await connectNats({ servers: natsUrl, name: 'launcher', log })
  try {
    const registry = await nats.registry('KEYS')
    const record: KeyRecord = {
      wallet: addressOf(keys.wallet),
      createdAt: keys.api_key_created_at,
      status: 'active',
    }
    await registry.set(apiKeyHash(keys.api_key), record)
  } finally {
    await nats.close()
  }
}

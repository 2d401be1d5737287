import { z } from 'zod'
import { connectNats, type Nats } from '../../bus/connect.ts'
import { NO_JETSTREAM } from '../../bus/streams/ensure.ts'
import { readConfig } from '../../config/read.ts'
import { shared } from '../../config/shared-settings.ts'
import { apiKeyHash } from '../../domain/hash.ts'
import { OperatorError } from '../../domain/operator-error.ts'
import { keyRecord } from '../../messages/key-record.ts'
import { type KeyringRecord, keyHint, parseKeyring } from '../../messages/keyring.ts'
import { makeLog } from '../../telemetry/log.ts'
import { addressOf, type Keys } from './keys.ts'

const replicationSchema = z.object({ NATS_REPLICAS: shared.NATS_REPLICAS })

/**
 * Lets the development wallet's API key in, whatever became of it since the last start. It is that
 * wallet's one key then: one that was made in the web app meanwhile ends.
 * @throws {OperatorError} where the server can keep nothing
 */
export async function storeApiKey(natsUrl: string, keys: Keys): Promise<void> {
  const log = makeLog('launcher', 'silent')
  const { NATS_REPLICAS: replicas } = readConfig(replicationSchema, process.env)
  const nats = await connectNats({ servers: natsUrl, name: 'launcher', log, replicas })
  try {
    // Who starts a network looks on, and would see it stand still.
    if (!nats.keepsStreams()) throw new OperatorError(NO_JETSTREAM)
    // Roles that may not make what they need would else wait, and complain, until an actor host has.
    await nats.makeAll()
    await enter(nats, keys)
  } finally {
    await nats.close()
  }
}

async function enter(nats: Nats, keys: Keys): Promise<void> {
  const [registry, keyrings] = await Promise.all([nats.registry('KEYS'), nats.registry('KEYRINGS')])
  const [wallet, hash] = [addressOf(keys.wallet), apiKeyHash(keys.api_key)]
  const found = await keyrings.get(wallet)
  const former = found && parseKeyring(found.value).hash
  if (former && former !== hash) await registry.delete(former)
  const createdAt = keys.api_key_created_at
  await registry.set(hash, keyRecord(keys.api_key, { wallet, createdAt }))
  const keyring: KeyringRecord = { hash, hint: keyHint(keys.api_key) }
  await keyrings.set(wallet, keyring)
}

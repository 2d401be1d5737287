import { type ActorsConfig, actorsSchema } from '../../src/config/schema.ts'
import { KEYS } from './chain/addresses.ts'

/** Of every actors host: the defaults, and keys. */
export const HOST_CONFIG: ActorsConfig = actorsSchema.parse({
  CONTRACTS_FILE: 'none',
  ACTOR_KINDS: 'job,account,settlement,chain-watcher,job-views,keeper,webhook',
  LOCKER_PRIVATE_KEY: KEYS.lock,
  SETTLER_PRIVATE_KEY: KEYS.settle,
  KEEPER_PRIVATE_KEY: KEYS.keeper,
  WITHDRAWAL_SIGNER_PRIVATE_KEY: KEYS.withdrawalSigner,
  WEBHOOK_SECRET_KEYS: '5e'.repeat(32),
  // A life is short: nobody waits two hours, nor a minute for a window to close in which nothing happens.
  WEBHOOK_RETRY_SECONDS: '0,1,1,2,4',
  DISPUTE_WINDOW_SECONDS: '8',
})

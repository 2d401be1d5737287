import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import {
  completionDigest,
  domainSeparator,
  registrationDigest,
  sign,
} from '../../../src/domain/proof.ts'
import { unixSeconds } from '../../../src/domain/time.ts'
import type { RegisterWorker, SettleIntent } from '../../../src/messages/lane.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { addressOf, KEYS, keyBytes } from './anvil.ts'

/** What the worker of the tests signs: a short answer to a job. */
export function settlementOf(
  { chainId, jobEscrow: contract }: Contracts,
  jobId: JobId,
  { workerId = 1, outputTokens = 20 } = {},
): SettleIntent {
  const completion = {
    jobId,
    outputHash: outputHash('an answer'),
    outputTokens,
    completedAt: unixSeconds(systemClock.now()),
  }
  const separator = domainSeparator({ name: 'JobEscrow', chainId, contract })
  const signature = sign(completionDigest(separator, completion), keyBytes(KEYS.worker))
  return { type: 'settle', jobId, completion, workerId, signature, notify: 'edge.one' }
}

/** Its wish to be registered. */
export function registrationOf(contracts: Contracts, payee: Address): RegisterWorker {
  const { chainId, workerStaking: contract } = contracts
  const signer = addressOf(KEYS.worker)
  const separator = domainSeparator({ name: 'WorkerStaking', chainId, contract })
  const signature = sign(registrationDigest(separator, signer, payee), keyBytes(KEYS.worker))
  return { signer, payee, signature }
}

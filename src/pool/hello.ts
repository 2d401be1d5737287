import { status } from '@grpc/grpc-js'
import type { Hello } from '../../proto/gen/svc/worker/v1/worker.ts'
import { addressFromBytes, signatureFromBytes } from '../domain/bytes.ts'
import { findModel } from '../domain/models.ts'
import { challengeDigest, recover, registrationDigest } from '../domain/proof.ts'
import { err, ok, type Result } from '../domain/result.ts'
import type { RegisterWorker } from '../messages/lane.ts'
import type { WorkerProfile } from './registry/state.ts'
import type { Ending } from './session.ts'

export const PROTOCOL_MIN = 1
export const PROTOCOL_MAX = 1
const SLOTS_MAX = 4_096

/** A worker whose key is proven; its number on chain is not known yet. */
export interface Introduction {
  readonly profile: Omit<WorkerProfile, 'workerId'>
  readonly registration: RegisterWorker
}

/**
 * Checks a worker's introduction.
 * @param separator EIP-712 domain of WorkerStaking
 */
export function checkHello(
  hello: Hello,
  nonce: Uint8Array,
  separator: Uint8Array,
): Result<Introduction, Ending> {
  if (hello.protocol < PROTOCOL_MIN || hello.protocol > PROTOCOL_MAX) {
    return refuse(
      status.FAILED_PRECONDITION,
      `protocol ${hello.protocol} is not spoken here, only ${PROTOCOL_MIN} to ${PROTOCOL_MAX}: update the agent`,
    )
  }
  const worker = addressFromBytes(hello.worker)
  const payee = addressFromBytes(hello.payee)
  if (!worker || !payee) {
    return refuse(status.INVALID_ARGUMENT, 'worker and payee must be addresses of 20 bytes')
  }
  const challenged = signatureFromBytes(hello.challengeSignature)
  if (!challenged || recover(challengeDigest(separator, nonce), challenged) !== worker) {
    return refuse(
      status.UNAUTHENTICATED,
      `challenge_signature is not by ${worker} for this chain and contract`,
    )
  }
  const signature = signatureFromBytes(hello.registrationSignature)
  if (!signature || recover(registrationDigest(separator, worker, payee), signature) !== worker) {
    return refuse(
      status.UNAUTHENTICATED,
      `registration_signature is not by ${worker} for payee ${payee}`,
    )
  }
  const models = servedModels(hello)
  if (models.size === 0) {
    return refuse(
      status.INVALID_ARGUMENT,
      'none of the models is in the catalogue: see GET /v1/models for the ids',
    )
  }
  if (hello.slots < 1) return refuse(status.INVALID_ARGUMENT, 'slots must be at least 1')
  return ok({
    profile: { address: worker, models, slots: Math.min(hello.slots, SLOTS_MAX) },
    registration: { signer: worker, payee, signature },
  })
}

/** Models of the catalogue, with the context served; unknown ones are left out. */
function servedModels(hello: Hello): Map<string, number> {
  const models = new Map<string, number>()
  for (const { id, contextWindow } of hello.models) {
    const model = findModel(id)
    if (!model) continue
    models.set(id, Math.min(contextWindow || model.contextWindow, model.contextWindow))
  }
  return models
}

const refuse = (code: status, details: string): Result<never, Ending> => err({ code, details })

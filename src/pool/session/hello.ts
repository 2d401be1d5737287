import { status } from '@grpc/grpc-js'
import type { Hello } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { addressFromBytes, signatureFromBytes } from '../../domain/bytes.ts'
import { isModelId } from '../../domain/models.ts'
import { challengeDigest, recover, registrationDigest } from '../../domain/proof.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { UnixMs } from '../../domain/time.ts'
import { PROTOCOLS, toldProtocols } from '../../domain/version.ts'
import type { RegisterWorker } from '../../messages/lane.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import { sortModels, whyLeftOut } from '../model-terms.ts'
import type { MetWorker } from './session.ts'
import type { Ending } from './worker-call.ts'

const SLOTS_MAX = 4_096
/** A worker's memory here is not the worker's to size. */
const OFFERED_MAX = 256
const REGION_CHARS_MAX = 64
const SOFTWARE_CHARS_MAX = 128
const NOT_COMPACT = 'must be 64 bytes: r and vs of EIP-2098, without a byte v behind them'

/** A worker whose key is proven; its number on chain is not known yet. */
export interface Introduction {
  readonly profile: Omit<MetWorker, 'workerId' | 'shown'>
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
  catalogue: Catalogue,
  at: UnixMs,
): Result<Introduction, Ending> {
  const notSpoken = whyNotSpoken(hello.protocol)
  if (notSpoken) return refuse(status.FAILED_PRECONDITION, notSpoken)
  const worker = addressFromBytes(hello.worker)
  const payee = addressFromBytes(hello.payee)
  if (!worker || !payee) {
    return refuse(status.INVALID_ARGUMENT, 'worker and payee must be addresses of 20 bytes')
  }
  const challenged = signatureFromBytes(hello.challengeSignature)
  if (!challenged) return refuse(status.UNAUTHENTICATED, `challenge_signature ${NOT_COMPACT}`)
  if (recover(challengeDigest(separator, nonce), challenged) !== worker) {
    return refuse(
      status.UNAUTHENTICATED,
      `challenge_signature is not by ${worker} for this chain and contract`,
    )
  }
  const signature = signatureFromBytes(hello.registrationSignature)
  if (!signature) return refuse(status.UNAUTHENTICATED, `registration_signature ${NOT_COMPACT}`)
  if (recover(registrationDigest(separator, worker, payee), signature) !== worker) {
    return refuse(
      status.UNAUTHENTICATED,
      `registration_signature is not by ${worker} for payee ${payee}`,
    )
  }
  const said = new Map(hello.models.map(({ id, contextWindow }) => [id, contextWindow]))
  const offered = keptModels(said, catalogue)
  const { taken, leftOut } = sortModels(offered, catalogue, at)
  if (taken.length === 0) {
    return refuse(
      status.INVALID_ARGUMENT,
      `no model that the catalogue lists was offered (${whyLeftOut(leftOut, said.size)}): offer one under its exact id`,
    )
  }
  const models = new Map(taken.map(({ id, contextWindow }) => [id, contextWindow]))
  if (hello.slots < 1) return refuse(status.INVALID_ARGUMENT, 'slots must be at least 1')
  const region = tidy(hello.region, REGION_CHARS_MAX)
  const software = tidy(`${hello.agent}, ${hello.engine}`, SOFTWARE_CHARS_MAX)
  const { protocol, resumes, batches } = hello
  const who = { address: worker, region, software, protocol, resumes, batches }
  const slots = Math.min(hello.slots, SLOTS_MAX)
  return ok({
    profile: { ...who, models, offered, slots },
    registration: { signer: worker, payee, signature },
  })
}

/** Why this version of the protocol cannot be used here, and who is to do what about it. */
function whyNotSpoken(protocol: number): string | undefined {
  if (protocol >= PROTOCOLS.min && protocol <= PROTOCOLS.max) return undefined
  const said = `version: protocol ${protocol} is not spoken here, only ${toldProtocols(PROTOCOLS)}`
  return protocol < PROTOCOLS.min
    ? `${said}: update the agent`
    : `${said}: this pool is older than the agent, dial another one or use an older agent`
}

/**
 * Ends of lines of Unicode among them: it goes into events, which Python reads by such lines. Half of a character
 * too, as the cut may leave it: what reads JSON strictly refuses an event with that.
 */
const NOT_IN_A_LINE = /[\p{C}\p{Zl}\p{Zp}]/gu
const tidy = (text: string, charsMax: number): string =>
  text.slice(0, charsMax).replace(NOT_IN_A_LINE, '')

/**
 * What the catalogue lists comes first. What it does not list is kept as far as there is room: it may be
 * listed while the worker is connected.
 */
function keptModels(said: ReadonlyMap<string, number>, catalogue: Catalogue): Map<string, number> {
  const possible = [...said].filter(([id]) => isModelId(id))
  const isListed = ([id]: readonly [string, number]) => catalogue.find(id) !== undefined
  const others = possible.filter((model) => !isListed(model))
  return new Map([...possible.filter(isListed), ...others].slice(0, OFFERED_MAX))
}

const refuse = (code: status, details: string): Result<never, Ending> => err({ code, details })

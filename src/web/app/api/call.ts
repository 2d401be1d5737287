import { WALLET_HEADER } from '../../api.ts'
import { ApiFailure, Unreachable } from './failure.ts'
import { noteServiceTime } from './service-clock.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

const ANSWER_MS = 30_000

/** Whom this page shows as signed in. Not every browser tells a tab what another one has done. */
let shown: string | null = null
/** @param wallet null: nobody */
export function speakFor(wallet: string | null): void {
  shown = wallet
}

/**
 * Asks the web app's own API. The session travels as a cookie.
 * @throws ApiFailure when it refuses, Unreachable when it does not answer while the same wallet is shown
 */
export async function call<T>(method: Method, path: string, body?: unknown): Promise<T> {
  const lost = (cause: unknown): never => {
    throw new Unreachable('The service did not answer.', { ...whatWasSent(method, path), cause })
  }
  const asker = shown
  const askedAt = Date.now()
  const response = await fetch(`/api${path}`, {
    method,
    // The server takes no other type on anything that changes something: no form can forge it.
    headers: {
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...(shown !== null && { [WALLET_HEADER]: shown }),
    },
    body: method === 'GET' ? null : JSON.stringify(body ?? {}),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(lost)
  noteServiceTime(response.headers.get('date'), askedAt, Date.now())
  const text = await response.text().catch(lost)
  if (asker !== null && shown !== null && shown !== asker) throw notForThisWallet(method, path)
  if (!response.ok) throw refusalOf(response, text)
  // What is not JSON is not ours: a network that wants a sign-in of its own answers in our place.
  return text === '' ? (null as T) : parsed<T>(text).catch(lost)
}

const parsed = async <T>(text: string): Promise<T> => JSON.parse(text)

/** Neither what came too late for one wallet, nor that its session is over, is anything to say to the next. */
const notForThisWallet = (method: Method, path: string) =>
  new Unreachable('Another wallet has signed in before the answer came.', whatWasSent(method, path))

const whatWasSent = (method: Method, path: string) => ({
  wasSent: changes(method, path),
  isMoney: /^\/(?:deposits|withdrawals)\b/.test(path),
})

/** Who signs in once more has changed nothing, and could not look whether the first time has. */
const changes = (method: Method, path: string): boolean =>
  method !== 'GET' && !path.startsWith('/session')

/** A proxy in between may answer without our envelope. */
function refusalOf(response: Response, text: string): ApiFailure {
  const requestId = response.headers.get('x-request-id')
  const { status } = response
  const error = envelopeOf(text)
  if (!error) return new ApiFailure(`The answer was ${status}.`, { status, code: '', requestId })
  return new ApiFailure(error.message, { ...error, status, requestId })
}

interface Envelope {
  readonly message: string
  readonly code: string
  readonly param?: string | null
  readonly docs?: string | null
}

function envelopeOf(text: string): Envelope | undefined {
  try {
    const { error } = JSON.parse(text)
    return typeof error?.message === 'string' && typeof error.code === 'string' ? error : undefined
  } catch {
    return undefined // not JSON, so not ours
  }
}

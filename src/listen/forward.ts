import type { ServiceNames } from '../domain/service-names.ts'
import { toUnixMs } from '../domain/time.ts'
import { signatureHeaders } from '../domain/webhook-signature.ts'
import { reasonOf } from './event-stream.ts'

/** As long as a webhook's endpoint has. */
const ATTEMPT_MS = 10_000

interface Options {
  readonly url: string
  readonly secret: string
  readonly eventId: string
  /** The envelope, to the byte. */
  readonly body: string
  readonly names: ServiceNames
}

/** Sends one event on, as a webhook's delivery is sent, once. @returns what came of it, for people */
export async function forward({ url, secret, eventId, body, names }: Options): Promise<string> {
  const at = toUnixMs(Date.now())
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        ...signatureHeaders({ eventId, at, body, secret }, names),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(ATTEMPT_MS),
    })
    await response.body?.cancel()
    const hint = response.ok ? '' : ', which a webhook would be sent again for'
    return `${response.status} after ${Date.now() - at} ms${hint}`
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError'
    return `no answer: ${late ? `none within ${ATTEMPT_MS / 1_000} s` : reasonOf(error)}`
  }
}

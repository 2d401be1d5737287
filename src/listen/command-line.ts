import { parseArgs } from 'node:util'
import type { ServiceNames } from '../domain/service-names.ts'
import { webhookSecretFault } from '../domain/webhook-secret-fault.ts'
import { StopListening } from './stop-listening.ts'

export const USAGE = `npm run listen -- --forward http://127.0.0.1:3000/hook [options]

Shows the events of your wallet as they happen, and sends each on to an endpoint on your machine,
signed as a webhook's delivery is.

  --forward URL     where to send them; without it they are only shown
  --events LIST     event types, comma-separated; all by default
  --key KEY         API key; SVC_API_KEY by default, which does not end up in a shell's history
  --base-url URL    base URL of the API; SVC_BASE_URL, or http://127.0.0.1:8080/v1 by default
  --secret SECRET   signs what is sent on; a new one is made and shown by default

Where the service has a prefix of its own, SERVICE_PREFIX says it: the signature's header has it.

It reconnects by itself and goes on where it was. Ctrl-C ends it.
`

export interface ListenOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly forwardTo: string | undefined
  readonly events: string | undefined
  readonly secret: string | undefined
}

/** @returns undefined where help was asked for @throws {StopListening} with what is wrong */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { keyStart }: ServiceNames,
): ListenOptions | undefined {
  const flags = readFlags(args)
  if (flags.help) return undefined
  const apiKey = flags.key ?? env.SVC_API_KEY
  if (!apiKey) {
    throw new StopListening(`there is no API key: set SVC_API_KEY, or pass --key ${keyStart}…`)
  }
  const baseUrl = flags['base-url'] ?? env.SVC_BASE_URL ?? 'http://127.0.0.1:8080/v1'
  return {
    apiKey,
    baseUrl: httpUrl('--base-url', baseUrl).replace(/\/+$/, ''),
    forwardTo: flags.forward === undefined ? undefined : httpUrl('--forward', flags.forward),
    events: flags.events,
    secret: ownSecret(flags.secret),
  }
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        forward: { type: 'string' },
        events: { type: 'string' },
        key: { type: 'string' },
        'base-url': { type: 'string' },
        secret: { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new StopListening(`${(error as Error).message}\n\n${USAGE}`)
  }
}

/** A receiver that works with it is to work with a webhook too, which takes no other. */
function ownSecret(secret: string | undefined): string | undefined {
  const fault = secret === undefined ? undefined : webhookSecretFault(secret)
  if (fault !== undefined) throw new StopListening(`--secret ${fault}, as of a webhook`)
  return secret
}

function httpUrl(flag: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new StopListening(`${flag} must be an address with http:// or https://, not ${text}`)
}

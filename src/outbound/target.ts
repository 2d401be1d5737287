import { isIP } from 'node:net'
import { bareHost } from '../domain/bare-host.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { isLoopback, isPublic } from './special-addresses.ts'

/** Where a webhook's deliveries go, as far as its URL alone tells. */
export interface Target {
  readonly url: URL
  /** A name in ASCII, or an address without brackets. */
  readonly host: string
  /** The host is an address: nothing is to be resolved. */
  readonly isAddress: boolean
}

export interface TargetRules {
  /** For development: http: and this machine may be targets as well. Nothing else changes. */
  readonly devTargets: boolean
}

/** Reads a webhook's URL. @returns the reason for which it cannot be one, for who chose it */
export function parseTarget(text: string, rules: TargetRules): Result<Target, string> {
  // The parser drops some of these silently: what is kept would not be what is meant.
  if (/[\s\p{Cc}\\]/u.test(text)) {
    return err('`url` holds a space, a backslash or a control character: percent-encode it.')
  }
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined
  if (!url) return err('`url` must be a whole URL, such as `https://example.com/hooks`.')
  if (url.protocol !== 'https:' && !rules.devTargets) {
    return err('`url` must begin with `https://`: deliveries go out over TLS only.')
  }
  if (url.username !== '' || url.password !== '') {
    return err(
      '`url` must not hold a user name or password; the signature shows who sends a delivery.',
    )
  }
  return checkHost(url, rules)
}

function checkHost(url: URL, rules: TargetRules): Result<Target, string> {
  const host = bareHost(url.hostname)
  const isAddress = isIP(host) !== 0
  if (isAddress && !mayReach(host, rules)) {
    return err('`url` holds an address that is not public. Give one that the internet reaches.')
  }
  if (!isAddress) {
    if (host.endsWith('.')) return err('The host of `url` ends with a dot; leave it out.')
    if (isLocalName(host) ? !rules.devTargets : !isPublicName(host)) {
      return err(`The host \`${host}\` of \`url\` is no public name. ${PUBLIC_NAME}`)
    }
  }
  if (!isPortTaken(url, rules)) {
    return err('The port of `url` must be 443, or 1024 and above.')
  }
  return ok({ url, host, isAddress })
}

const PUBLIC_NAME = 'Give a full name that the internet resolves, such as `example.com`.'

/** Whether deliveries may be sent to this address. */
export const mayReach = (address: string, { devTargets }: TargetRules): boolean =>
  isPublic(address) || (devTargets && isLoopback(address))

export const isLocalName = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost')

/** Names that the internet never resolves; those inside our network end in some of them. */
const SPECIAL_ENDINGS = new Set(['example', 'internal', 'invalid', 'local', 'localhost', 'test'])

const isPublicName = (host: string): boolean =>
  host.includes('.') && !SPECIAL_ENDINGS.has(host.slice(host.lastIndexOf('.') + 1))

/** The lower ports belong to protocols of other kinds; nobody is made to talk to them. */
function isPortTaken({ port, protocol }: URL, { devTargets }: TargetRules): boolean {
  if (port === '') return protocol === 'https:' || devTargets
  const number = Number(port)
  return number === 443 || number >= 1_024 || (devTargets && number === 80)
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined // no URL
  }
}

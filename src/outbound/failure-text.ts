/** What went wrong on the way to an endpoint, for the owner of the webhook. Names no address. */
export function failureText(error: unknown): string {
  const code = codeOf(error)
  const text = TEXTS[code]
  if (text) return text
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'the TLS handshake failed'
  if (code.startsWith('HPE_')) return 'the answer was not valid HTTP'
  return `the connection failed${code ? ` (${code})` : ''}`
}

/** @param status outside 2xx */
export const statusText = (status: number): string =>
  status >= 300 && status < 400
    ? `answered ${status}: redirects are not followed, so the webhook needs the final URL`
    : `answered ${status}`

const UNTRUSTED =
  'the certificate is not trusted: it must come from a public authority, sent with the whole chain'
const CLOSED = 'the connection was closed before there was an answer'
const UNREACHABLE = 'the host cannot be reached'

const TEXTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  CERT_REVOKED: 'the certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too large',
}

/** The system's or the library's name of a fault; empty where it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  // Several addresses were tried: the first one's fate stands for all.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

import type { IncomingMessage } from 'node:http'

/** The client of the JDK by its own name, which libraries on top of it may replace. */
const JDK_CLIENT = /^Java-http-client\//
const WANTS_TRAILERS = /(?:^|,)\s*trailers\s*(?:[;,]|$)/i

/**
 * Whether an answer to this request may end in trailers. HTTP/1.0 has none. `java.net.http.HttpClient` has no
 * reader for them in HTTP/1.1: it ends in `ProtocolException: CR expected`, and whoever asked it for the whole
 * body gets none of it. Under a library's name it is known by the upgrade to HTTP/2 that it offers without TLS.
 */
export function readsTrailers({
  httpVersion,
  headers,
}: Pick<IncomingMessage, 'httpVersion' | 'headers'>): boolean {
  if (httpVersion !== '1.1') return false
  if (WANTS_TRAILERS.test(String(headers.te ?? ''))) return true
  return !JDK_CLIENT.test(headers['user-agent'] ?? '') && headers['http2-settings'] === undefined
}

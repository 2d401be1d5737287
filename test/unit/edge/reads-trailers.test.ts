import type { IncomingHttpHeaders } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readsTrailers } from '../../../src/edge/answer/reads-trailers.ts'

const Trailers = suite('readers of trailers')
/** What JDK 17 sends without TLS, unless HTTP/1.1 alone is asked of it. */
const offer = {
  upgrade: 'h2c',
  'http2-settings': 'AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA',
}

const asked: readonly [who: string, headers: IncomingHttpHeaders, reads: boolean][] = [
  ['nobody in particular', {}, true],
  ['Go', { 'user-agent': 'Go-http-client/1.1' }, true],
  ['Java of old, by HttpURLConnection', { 'user-agent': 'Java/17.0.21' }, true],
  ['the JDK', { 'user-agent': 'Java-http-client/17.0.21' }, false],
  ['the JDK, with an offer', { 'user-agent': 'Java-http-client/21', ...offer }, false],
  ['a library on the JDK', { 'user-agent': 'langchain4j-openai', ...offer }, false],
  ['who asks for them', { ...offer, te: 'trailers' }, true],
  ['who asks for them among others', { ...offer, te: 'gzip;q=0.5, Trailers' }, true],
  ['who asks for others', { ...offer, te: 'gzip' }, false],
]
for (const [who, headers, reads] of asked) {
  Trailers(`${who}: ${reads ? 'yes' : 'no'}`, () => {
    assert.is(readsTrailers({ httpVersion: '1.1', headers }), reads)
  })
}

Trailers('nobody on HTTP/1.0', () => {
  assert.is(readsTrailers({ httpVersion: '1.0', headers: { te: 'trailers' } }), false)
})

Trailers.run()

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A certificate authority of one test, and the certificates that it gives out. All in PEM. */
export interface Authority {
  readonly certificate: string
  issue(terms: CertificateTerms): { readonly cert: string; readonly key: string }
}

export interface CertificateTerms {
  /** Host names it is good for. */
  readonly names: readonly string[]
  readonly from?: Date
  readonly to?: Date
}

const DAY_MS = 24 * 60 * 60 * 1_000

export function makeAuthority(name: string): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = (subject: string, publicKey: KeyObject, terms: Terms) =>
    certificate({ issuer: name, subject, publicKey, ...terms }, keys.privateKey)
  const soon = { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + DAY_MS) }
  return {
    certificate: signed(name, keys.publicKey, { ...soon, extensions: [IS_AUTHORITY] }),
    issue: ({ names, ...dates }) => {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const terms = { ...soon, ...dates, extensions: [goodFor(names)] }
      return {
        cert: signed(names[0] ?? 'nobody', own.publicKey, terms),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}

interface Terms {
  readonly from: Date
  readonly to: Date
  readonly extensions: readonly Buffer[]
}
interface Parts extends Terms {
  readonly issuer: string
  readonly subject: string
  readonly publicKey: KeyObject
}

/** X.509 version 3 (RFC 5280), signed with ECDSA and SHA-256. */
function certificate(parts: Parts, signer: KeyObject): string {
  const body = sequence(
    der(0xa0, integer(2)),
    integer(Math.floor(Math.random() * 2 ** 30) + 1),
    ECDSA_WITH_SHA256,
    nameOf(parts.issuer),
    sequence(time(parts.from), time(parts.to)),
    nameOf(parts.subject),
    parts.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...parts.extensions)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, signer))
  const base64 = sequence(body, ECDSA_WITH_SHA256, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n').trim()}\n-----END CERTIFICATE-----\n`
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}
const sequence = (...contents: readonly Buffer[]) => der(0x30, ...contents)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const integer = (value: number) => {
  const hex = value.toString(16)
  return der(0x02, Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex'))
}
const time = (at: Date) =>
  der(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, ''), 'ascii'))
const nameOf = (common: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(common, 'utf8')))))
const extension = (id: string, value: Buffer) =>
  sequence(oid(id), der(0x01, Buffer.from([0xff])), der(0x04, value))
const goodFor = (names: readonly string[]) =>
  extension('551d11', sequence(...names.map((name) => der(0x82, Buffer.from(name, 'ascii')))))

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const IS_AUTHORITY = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))))

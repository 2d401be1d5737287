import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate and its key, PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Authority extends Certificate {
  /** @param from days from now until it is good, @param to until it is no longer */
  issue(name: string, days?: { readonly from: number; readonly to: number }): Certificate
}

/** An authority of a test's own, made without any tool of the machine. */
export function makeAuthority(name: string): Authority {
  const { publicKey, privateKey } = keyPair()
  const certify = (of: Omit<Certified, 'issuer' | 'by'>): string =>
    certificate({ ...of, issuer: name, by: privateKey })
  const own = { subject: name, publicKey, isAuthority: true, days: { from: -2, to: 30 } }
  return {
    cert: certify(own),
    key: pem(privateKey),
    issue: (subject, days = { from: -1, to: 10 }) => {
      const pair = keyPair()
      const cert = certify({ subject, publicKey: pair.publicKey, isAuthority: false, days })
      return { cert, key: pem(pair.privateKey) }
    },
  }
}

interface Certified {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly by: KeyObject
  readonly isAuthority: boolean
  readonly days: { readonly from: number; readonly to: number }
}

const DAY_MS = 24 * 60 * 60 * 1_000
const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** RFC 5280, as little of it as TLS needs. */
function certificate({ subject, issuer, publicKey, by, isAuthority, days }: Certified): string {
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_SHA256,
    nameOf(issuer),
    sequence(time(days.from), time(days.to)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isAuthority ? CA_EXTENSION : alternativeName(subject))),
  )
  const signature = sign('sha256', body, by)
  const whole = sequence(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)
const integer = (bytes: Buffer): Buffer => der(0x02, bytes)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const text = (value: string): Buffer => der(0x0c, Buffer.from(value))
/** Common name, and nothing else. */
const nameOf = (name: string): Buffer => sequence(der(0x31, sequence(oid('550403'), text(name))))

function time(days: number): Buffer {
  const digits = new Date(Date.now() + days * DAY_MS).toISOString().replace(/[-:T]/g, '')
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`))
}

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x04, value))
const CA_EXTENSION = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))))

function alternativeName(name: string): Buffer {
  const asAddress = isIP(name) === 4
  const value = asAddress ? Buffer.from(name.split('.').map(Number)) : Buffer.from(name)
  return extension('551d11', sequence(der(asAddress ? 0x87 : 0x82, value)))
}

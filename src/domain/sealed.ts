import { createCipheriv, createDecipheriv } from 'node:crypto'
import { assert } from './result.ts'

/** 32 bytes each: the first seals, all of them open. */
export type SealingKeys = readonly Uint8Array[]

const CIPHER = 'aes-256-gcm'
export const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const FORM = 'v1.'

/**
 * Seals a secret (AES-256-GCM) so that it can be kept where others read.
 * @param of what it belongs to: a sealed secret that is moved elsewhere does not open
 * @param nonce `NONCE_BYTES` random bytes, never used before
 */
export function seal(keys: SealingKeys, of: string, secret: string, nonce: Uint8Array): string {
  const [key] = keys
  assert(key?.length === KEY_BYTES, 'a secret is sealed with a key of 32 bytes')
  assert(nonce.length === NONCE_BYTES, 'a secret is sealed with a nonce of 12 bytes')
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(of, 'utf8'))
  const sealed = Buffer.concat([
    nonce,
    cipher.update(secret, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  return FORM + sealed.toString('base64url')
}

/**
 * Opens what was sealed.
 * @throws none of the keys opens it, or it was sealed for something else
 */
export function open(keys: SealingKeys, of: string, sealed: string): string {
  assert(sealed.startsWith(FORM), 'a sealed secret has the form v1.<base64url>')
  const bytes = Buffer.from(sealed.slice(FORM.length), 'base64url')
  assert(bytes.length >= NONCE_BYTES + TAG_BYTES, 'a sealed secret holds a nonce and a tag')
  for (const key of keys) {
    const secret = openWith(key, of, bytes)
    if (secret !== undefined) return secret
  }
  throw new Error(
    `the secret of ${of} opens with none of the keys; put the one that sealed it back into WEBHOOK_SECRET_KEYS`,
  )
}

function openWith(key: Uint8Array, of: string, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(of, 'utf8'))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined // sealed with another key, or for something else: the tag does not fit
  }
}

import { createHash } from 'node:crypto'
import { type Hex32, toHex32 } from './ids.ts'

/**
 * The output hash of a job: SHA-256 over the complete answer text in UTF-8, with any trailing
 * newlines dropped (specification, POST /jobs/<id>/dispute), as a shell's `$(…)` drops them.
 */
export function outputHash(text: string): Hex32 {
  let end = text.length
  while (text.charCodeAt(end - 1) === 10) end--
  return `0x${createHash('sha256').update(text.slice(0, end), 'utf8').digest('hex')}` as Hex32
}

/** The public form of an output hash: `sha256:<hex>`. */
export const publicHash = (hash: Hex32): string => `sha256:${hash.slice(2)}`

const PUBLIC_HASH = /^sha256:([0-9a-f]{64})$/i
/** The hash in `sha256:<hex>`, or undefined where the form is another. */
export function parsePublicHash(text: string): Hex32 | undefined {
  const match = PUBLIC_HASH.exec(text)
  return match ? toHex32(`0x${match[1]}`) : undefined
}

/** How an API key is stored and looked up: SHA-256 in hex. The key itself is never kept. */
export const apiKeyHash = (key: string): string => createHash('sha256').update(key).digest('hex')

/**
 * What an edge shows of the API key that a request came with: without the key nobody can make it, neither
 * of the key's hash nor of what else is stored, which is `keyProofHash` of it. Told to actors, never kept.
 */
export const keyProof = (key: string): string =>
  createHash('sha256').update(`proof of ${key}`).digest('base64url')

export const keyProofHash = (proof: string): string =>
  createHash('sha256').update(proof).digest('hex')

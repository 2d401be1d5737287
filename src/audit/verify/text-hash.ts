import { createHash } from 'node:crypto'

const NEWLINE = 0x0a

/** SHA-256 over an answer without its trailing newlines, as `sha256:<hex>`. */
export function textHash(text: Uint8Array): string {
  let end = text.length
  while (text[end - 1] === NEWLINE) end--
  return `sha256:${createHash('sha256').update(text.subarray(0, end)).digest('hex')}`
}

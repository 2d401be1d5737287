import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * What a worker signs of an answer: SHA-256 over the whole text in UTF-8 without trailing newlines,
 * as `sha256:<hex>`.
 */
export const textHash = (text: string): string =>
  `sha256:${bytesToHex(sha256(utf8ToBytes(text.replace(/\n+$/, ''))))}`

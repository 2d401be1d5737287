import { createKeccak } from 'hash-wasm'

const hasher = await createKeccak(256)

/** Keccak-256, as Ethereum hashes. Four to ten times as fast as in JavaScript: jobs are signed and checked by it. */
export const keccak256 = (bytes: Uint8Array): Uint8Array =>
  hasher.init().update(bytes).digest('binary')

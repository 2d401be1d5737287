import { secp256k1 } from '@noble/curves/secp256k1.js'

/**
 * Takes the place of the package `secp256k1` in the single file, which can carry no native code. The
 * same three functions and, byte for byte, the same signatures: RFC 6979 nonces, low s. Slower, but a
 * worker signs once a job.
 */

function ecdsaSign(hash: Uint8Array, privateKey: Uint8Array) {
  const signature = secp256k1.sign(hash, privateKey, { lowS: true })
  return { signature: signature.toCompactRawBytes(), recid: signature.recovery }
}

/** @throws where the signature is none */
function ecdsaRecover(
  signature: Uint8Array,
  recid: number,
  hash: Uint8Array,
  compressed: boolean,
): Uint8Array {
  return secp256k1.Signature.fromCompact(signature)
    .addRecoveryBit(recid)
    .recoverPublicKey(hash)
    .toRawBytes(compressed)
}

/** @throws where the key is none */
const publicKeyCreate = (privateKey: Uint8Array, compressed: boolean): Uint8Array =>
  secp256k1.getPublicKey(privateKey, compressed)

export default { ecdsaSign, ecdsaRecover, publicKeyCreate }

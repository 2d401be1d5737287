import {
  createCipheriv,
  createDecipheriv,
  pbkdf2,
  randomBytes,
  randomUUID,
  scrypt,
} from 'node:crypto'
import { promisify } from 'node:util'
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { z } from 'zod'
import { keccak256 } from '../../domain/keccak.ts'
import { privateKeyAddress } from '../../domain/proof.ts'

/**
 * An encrypted private key, as geth, foundry and most wallets keep theirs: web3 secret storage,
 * version 3. The key is AES-encrypted under a password made expensive to guess.
 */

const hex = (bytes?: number) =>
  z
    .string()
    .transform((text) => text.replace(/^0x/i, '').toLowerCase())
    .refine(
      (text) => /^(?:[0-9a-f]{2})+$/.test(text) && (!bytes || text.length === bytes * 2),
      `must be hexadecimal${bytes ? `, ${bytes} bytes` : ''}`,
    )
    .transform((text) => Buffer.from(text, 'hex'))

const kdf = z.discriminatedUnion('kdf', [
  z.object({
    kdf: z.literal('scrypt'),
    kdfparams: z.object({
      dklen: z.literal(32),
      n: z
        .int()
        .min(2)
        .max(2 ** 20),
      r: z.int().min(1).max(64),
      p: z.int().min(1).max(64),
      salt: hex(),
    }),
  }),
  z.object({
    kdf: z.literal('pbkdf2'),
    kdfparams: z.object({
      dklen: z.literal(32),
      c: z.int().min(1).max(10_000_000),
      prf: z.literal('hmac-sha256'),
      salt: hex(),
    }),
  }),
])
const crypto = z.intersection(
  kdf,
  z.object({
    cipher: z.literal('aes-128-ctr'),
    cipherparams: z.object({ iv: hex(16) }),
    ciphertext: hex(32),
    mac: hex(32),
  }),
)
// Early tools wrote `Crypto`.
const keystore = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null && 'Crypto' in value
      ? { crypto: value.Crypto, ...value }
      : value,
  z.object({ version: z.literal(3), crypto }),
)
type Kdf = z.infer<typeof kdf>

const SCRYPT = { n: 2 ** 17, r: 8, p: 1 } as const

/** @returns the text of a keystore file */
export async function encryptKey(privateKey: Uint8Array, password: string): Promise<string> {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const secret = await derive(
    { kdf: 'scrypt', kdfparams: { dklen: 32, ...SCRYPT, salt } },
    password,
  )
  const cipher = createCipheriv('aes-128-ctr', secret.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()])
  const file = {
    version: 3,
    id: randomUUID(),
    address: privateKeyAddress(privateKey).slice(2),
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { dklen: 32, ...SCRYPT, salt: salt.toString('hex') },
      mac: macOf(secret, ciphertext).toString('hex'),
    },
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

export class WrongPassword extends Error {}

/**
 * @param text of a keystore file
 * @throws {WrongPassword} or an Error that says what is wrong with the file
 */
export async function decryptKey(text: string, password: string): Promise<Buffer> {
  const { crypto } = parseKeystore(text)
  const secret = await derive(crypto, password)
  if (!macOf(secret, crypto.ciphertext).equals(crypto.mac)) {
    throw new WrongPassword('the password does not open the keystore')
  }
  const iv = crypto.cipherparams.iv
  const decipher = createDecipheriv('aes-128-ctr', secret.subarray(0, 16), iv)
  return Buffer.concat([decipher.update(crypto.ciphertext), decipher.final()])
}

function parseKeystore(text: string): z.infer<typeof keystore> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error('a keystore is a JSON object (web3 secret storage, version 3)', { cause })
  }
  const parsed = keystore.safeParse(value)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new Error(`not a keystore of version 3 that can be read here: ${wrong.join('; ')}`)
}

/** 32 bytes: the first half encrypts, the second proves that the password was right. */
async function derive({ kdf, kdfparams }: Kdf, password: string): Promise<Buffer> {
  if (kdf === 'pbkdf2') {
    const { salt, c } = kdfparams as Extract<Kdf, { kdf: 'pbkdf2' }>['kdfparams']
    return promisify(pbkdf2)(password, salt, c, 32, 'sha256')
  }
  const { salt, n: N, r, p } = kdfparams as Extract<Kdf, { kdf: 'scrypt' }>['kdfparams']
  const maxmem = 128 * r * (N + p) + 32 * 1024 * 1024
  // OpenSSL refuses what some older tools wrote (n 262144 with r 1); for those the slower one.
  if (N >= 2 ** (16 * r)) {
    return Buffer.from(await scryptAsync(password, salt, { N, r, p, dkLen: 32, maxmem }))
  }
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem }
    scrypt(password, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

const macOf = (secret: Buffer, ciphertext: Buffer): Buffer =>
  Buffer.from(keccak256(Buffer.concat([secret.subarray(16, 32), ciphertext])))

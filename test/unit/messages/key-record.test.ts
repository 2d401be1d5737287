import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decode, encode } from '../../../src/bus/codec.ts'
import { keyProof, keyProofHash } from '../../../src/domain/hash.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { keyRecord, parseKeyRecord } from '../../../src/messages/key-record.ts'

const Record = suite('key record')

const KEY = `svc_live_${'k'.repeat(32)}`
const wallet = toAddress(`0x${'ab'.repeat(20)}`)
const createdAt = 1_800_000_000_000
const proofHash = keyProofHash(keyProof(KEY))
const first = { wallet, createdAt, status: 'active' }

const stored = (value: unknown) => decode(encode(value))

Record('what is written is read', () => {
  const record = keyRecord(KEY, { wallet, createdAt, status: 'suspended' })
  assert.equal(record, { wallet, createdAt, status: 'suspended', proofHash })
  assert.equal(parseKeyRecord(stored(record)), record)
})

Record('a record of the first release has no proof, and is read', () => {
  assert.equal(parseKeyRecord(stored(first)), first)
})

Record('a moment that another hand wrote as a 64-bit integer is read', () => {
  assert.equal(parseKeyRecord(stored({ ...first, createdAt: BigInt(createdAt) })), first)
})

Record('an address in capitals is the same wallet', () => {
  assert.is(parseKeyRecord({ ...first, wallet: wallet.toUpperCase() }).wallet, wallet)
})

Record('what is more in it is left out', () => {
  assert.equal(parseKeyRecord({ ...first, name: 'of a later version' }), first)
})

Record('anything else is refused', () => {
  const bad: readonly unknown[] = [
    ...[undefined, null, 'a key', 7, []],
    { ...first, wallet: undefined },
    { ...first, wallet: '0x12' },
    { ...first, status: undefined },
    { ...first, status: 'revoked' },
    { ...first, createdAt: undefined },
    ...[null, Number.NaN, '2027-01-15', `${createdAt}`, true].map((at) => ({
      ...first,
      createdAt: at,
    })),
    ...[null, 7, false, [proofHash]].map((proof) => ({ ...first, proofHash: proof })),
  ]
  for (const value of bad) assert.throws(() => parseKeyRecord(value), /.+/, JSON.stringify(value))
})

Record.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hashTypedData, parseSignature, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { outputHash } from '../../../src/domain/hash.ts'
import { jobIdToBytes32, makeJobId, toAddress } from '../../../src/domain/ids.ts'
import {
  challengeDigest,
  completionDigest,
  domainSeparator,
  expandSignature,
  privateKeyAddress,
  recover,
  registrationDigest,
  type SigningDomain,
  sign,
} from '../../../src/domain/proof.ts'
import { toUnixMs } from '../../../src/domain/time.ts'

const test = suite('proof of completion')
const key = `0x${'7'.repeat(64)}` as const
const keyBytes = Buffer.from(key.slice(2), 'hex')
const account = privateKeyToAccount(key)
const contract = toAddress(`0x${'5'.repeat(40)}`)
const domain: SigningDomain = { name: 'JobEscrow', chainId: 31_337, contract }
const separator = domainSeparator(domain)
const viemDomain = (name: string) => ({
  name,
  version: '1',
  chainId: 31_337,
  verifyingContract: contract,
})
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
const completion = {
  jobId: makeJobId(toUnixMs(1_800_000_000_000), new Uint8Array(16).fill(9)),
  outputHash: outputHash('the answer'),
  outputTokens: 123,
  completedAt: 1_800_000_001,
}

test('the digest is that of an independent EIP-712 encoder', () => {
  const expected = hashTypedData({
    domain: viemDomain('JobEscrow'),
    types: {
      Completion: [
        { name: 'jobId', type: 'bytes32' },
        { name: 'outputHash', type: 'bytes32' },
        { name: 'outputTokens', type: 'uint32' },
        { name: 'completedAt', type: 'uint40' },
      ],
    },
    primaryType: 'Completion',
    message: { ...completion, jobId: jobIdToBytes32(completion.jobId) },
  })
  assert.is(hex(completionDigest(separator, completion)), expected)
})

test('registrations and challenges too', () => {
  const staking = domainSeparator({ ...domain, name: 'WorkerStaking' })
  const payee = toAddress(`0x${'6'.repeat(40)}`)
  const signer = privateKeyAddress(keyBytes)
  const registration = hashTypedData({
    domain: viemDomain('WorkerStaking'),
    types: {
      Registration: [
        { name: 'signer', type: 'address' },
        { name: 'payee', type: 'address' },
      ],
    },
    primaryType: 'Registration',
    message: { signer, payee },
  })
  assert.is(hex(registrationDigest(staking, signer, payee)), registration)
  const nonce = new Uint8Array(32).fill(3)
  const challenge = hashTypedData({
    domain: viemDomain('WorkerStaking'),
    types: { Challenge: [{ name: 'nonce', type: 'bytes32' }] },
    primaryType: 'Challenge',
    message: { nonce: hex(nonce) as `0x${string}` },
  })
  assert.is(hex(challengeDigest(staking, nonce)), challenge)
})

test('signatures recover to the signer, here and elsewhere', async () => {
  const digest = completionDigest(separator, completion)
  for (let tokens = 0; tokens < 20; tokens++) {
    const each = completionDigest(separator, { ...completion, outputTokens: tokens })
    const signature = sign(each, keyBytes)
    assert.is(recover(each, signature), account.address.toLowerCase())
    const expanded = expandSignature(signature)
    assert.is(
      await recoverAddress({ hash: hex(each) as `0x${string}`, signature: expanded }),
      account.address,
    )
    assert.ok(parseSignature(expanded).v)
  }
  const other = sign(digest, Buffer.alloc(32, 1))
  assert.is.not(recover(digest, other), account.address.toLowerCase())
})

test('what is no signature recovers to nobody instead of throwing', () => {
  const digest = completionDigest(separator, completion)
  const zero = `0x${'0'.repeat(64)}`
  const ones = `0x${'f'.repeat(64)}`
  for (const [r, vs] of [
    [zero, zero],
    [ones, ones],
    ['0x12', zero],
  ]) {
    const signature = { r, vs } as Parameters<typeof recover>[1]
    assert.is(recover(digest, signature), undefined)
  }
})

test.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash, parsePublicHash, publicHash } from '../../../src/domain/hash.ts'
import {
  jobIdFromBytes32,
  jobIdToBytes32,
  makeJobId,
  parseAddress,
  parseJobId,
} from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { PARTITIONS } from '../../../src/messages/partition-count.ts'
import { partitionOf } from '../../../src/messages/partitions.ts'

const test = suite('ids and hashes')
const at = toUnixMs(1_800_000_000_000)

test('job ids sort by time, parse, and fit a bytes32 as ASCII', () => {
  const early = makeJobId(at, new Uint8Array(16).fill(255))
  const late = makeJobId(toUnixMs(at + 1), new Uint8Array(16))
  assert.ok(early < late)
  assert.ok(parseJobId(early).ok)
  assert.equal(jobIdFromBytes32(jobIdToBytes32(early)), { ok: true, value: early })
})

test('what is no job id is refused', () => {
  for (const text of ['', 'job_', 'job_1', `job_${'A'.repeat(26)}`, `job_${'a'.repeat(26)}.x`]) {
    assert.not.ok(parseJobId(text).ok, text)
  }
})

test('bytes that differ from a job id in one bit are not taken for it', () => {
  const bytes = Buffer.from(jobIdToBytes32(makeJobId(at, new Uint8Array(16))).slice(2), 'hex')
  for (let bit = 0; bit < 256; bit++) {
    const other = Buffer.from(bytes)
    other[bit >> 3]! ^= 128 >> (bit & 7)
    const read = jobIdFromBytes32(`0x${other.toString('hex')}`)
    if (read.ok) assert.is(jobIdToBytes32(read.value), `0x${other.toString('hex')}`)
  }
})

test('addresses are lower case inside the house', () => {
  const mixed = '0xAbCdEf0123456789aBcDeF0123456789abcdef01'
  assert.equal(parseAddress(mixed), { ok: true, value: mixed.toLowerCase() })
  assert.not.ok(parseAddress('0x12').ok)
})

test('partitions are spread evenly', () => {
  const counts = new Array<number>(PARTITIONS).fill(0)
  for (let i = 0; i < 6_400; i++) {
    const random = Uint8Array.from(
      { length: 16 },
      (_, byte) => (i * 31 + byte * 7 + (i >> 8)) & 255,
    )
    counts[partitionOf(makeJobId(toUnixMs(at + i), random))]!++
  }
  assert.ok(Math.min(...counts) > 50 && Math.max(...counts) < 160, counts.join(' '))
})

test('the output hash drops trailing newlines and nothing else', () => {
  const empty = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  assert.is(publicHash(outputHash('')), empty)
  assert.is(publicHash(outputHash('\n')), empty)
  assert.is(outputHash('answer\n'), outputHash('answer'))
  assert.is.not(outputHash('answer '), outputHash('answer'))
  assert.is.not(outputHash('\nanswer'), outputHash('answer'))
})

test('the public form of a hash is parsed strictly', () => {
  const hash = outputHash('x')
  assert.is(parsePublicHash(publicHash(hash)), hash)
  assert.is(parsePublicHash(hash), undefined)
  assert.is(parsePublicHash('sha256:zz'), undefined)
})

test.run()

import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeJobId, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'

const Signed = suite('signed jobs')

const NOW = 1_800_000_000
const DAY = 24 * 3_600
const hash = (n: number) => toHex32(`0x${String(n).padStart(64, '0')}`)
const job = (n: number) => makeJobId(toUnixMs(n), Buffer.alloc(16, n))
const completion = (n: number, more: object = {}) => ({
  jobId: job(n),
  outputHash: hash(1),
  outputTokens: 7,
  completedAt: NOW,
  ...more,
})

let folder: string
let path: string
Signed.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-signed-'))
  path = join(folder, 'deep', 'signed.log')
})
Signed.after.each(() => rmSync(folder, { recursive: true, force: true }))

Signed('the same answer may be signed again, another one never', () => {
  const signed = new SignedJobs()
  assert.ok(signed.claim(completion(1)))
  assert.ok(signed.has(job(1)))
  // A later time is no other answer: that is what the contract says too.
  assert.ok(signed.claim(completion(1, { completedAt: NOW + 5 })))
  assert.not(signed.claim(completion(1, { outputHash: hash(2) })))
  assert.not(signed.claim(completion(1, { outputTokens: 8 })))
  assert.ok(signed.claim(completion(2, { outputHash: hash(2) })))
})

Signed('a process that was killed knows afterwards what it had signed', () => {
  SignedJobs.open(path, NOW).claim(completion(1)) // never closed
  appendFileSync(path, `${NOW} job_00`) // the line that it was killed in
  const again = SignedJobs.open(path, NOW)
  assert.not(again.claim(completion(1, { outputHash: hash(2) })))
  assert.ok(again.claim(completion(2)))
  again.close()
  const third = SignedJobs.open(path, NOW)
  assert.ok(third.has(job(1)) && third.has(job(2)))
  third.close()
})

Signed('a file that cannot be read is not taken for an empty one', () => {
  mkdirSync(dirname(path))
  symlinkSync(path, path)
  assert.throws(() => SignedJobs.open(path, NOW), /signed\.log cannot be written/)
})

Signed('what is a day old is forgotten, in memory and in the file', () => {
  const signed = SignedJobs.open(path, NOW)
  signed.claim(completion(1))
  signed.claim(completion(2, { completedAt: NOW + DAY }))
  signed.sweep(NOW + DAY)
  assert.not(signed.has(job(1)))
  assert.ok(signed.has(job(2)))
  signed.close()
  SignedJobs.open(path, NOW + DAY).close()
  assert.is(readFileSync(path, 'utf8').trim().split('\n').length, 1)
})

Signed('the file of an agent that runs for months does not grow for ever', () => {
  const signed = SignedJobs.open(path, NOW)
  const id = (n: number) => makeJobId(toUnixMs(n), Buffer.alloc(16, 1))
  const lines = () => readFileSync(path, 'utf8').trim().split('\n').length
  for (let n = 0; n < 10_100; n++) signed.claim(completion(1, { jobId: id(n) }))
  signed.sweep(NOW)
  assert.is(lines(), 10_100, 'of a day nothing is left out')
  const later = { completedAt: NOW + 2 * DAY }
  signed.claim(completion(1, { jobId: id(20_000), ...later }))
  signed.sweep(NOW + 2 * DAY)
  assert.is(lines(), 1)
  // What is signed after that is found as well.
  signed.claim(completion(1, { jobId: id(20_001), ...later }))
  signed.close()
  const again = SignedJobs.open(path, NOW + 2 * DAY)
  for (const n of [20_000, 20_001]) assert.ok(again.has(id(n)))
  again.close()
})

Signed('what is younger than a day is not, in memory and in the file', () => {
  const signed = SignedJobs.open(path, NOW)
  signed.claim(completion(1))
  signed.claim(completion(2, { completedAt: NOW + DAY - 1 }))
  signed.sweep(NOW + DAY - 1)
  assert.not(signed.claim(completion(1, { outputHash: hash(2) })))
  signed.close()
  const again = SignedJobs.open(path, NOW + DAY - 1)
  assert.not(again.claim(completion(1, { outputHash: hash(2) })))
  again.close()
})

Signed(
  'a clock that is days ahead of the pool’s has nothing forgotten that was just signed',
  () => {
    const ahead = NOW + 30 * DAY
    const signed = SignedJobs.open(path, ahead)
    signed.claim(completion(1))
    signed.sweep(ahead)
    assert.not(signed.claim(completion(1, { outputHash: hash(2) })))
    signed.close()
    const again = SignedJobs.open(path, ahead)
    assert.not(again.claim(completion(1, { outputHash: hash(2) })))
    again.close()
  },
)

Signed('a pool whose clock is days ahead has nothing forgotten of what others were told', () => {
  const signed = SignedJobs.open(path, NOW)
  signed.claim(completion(1))
  signed.claim(completion(2, { completedAt: NOW + 30 * DAY }))
  signed.sweep(NOW)
  assert.not(signed.claim(completion(1, { outputHash: hash(2) })))
  signed.close()
})

Signed.run()

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Challenge } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { ConfigError } from '../../../src/config/read.ts'
import { makeJobId, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { trustedContracts } from '../../../src/worker/chain/contracts.ts'
import { readSettings } from '../../../src/worker/cli/settings.ts'
import { keys } from '../../../src/worker/commands/keys.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { emptyDisk, fillDisk } from '../../fakes/worker/full-disk.ts'

/** A disk that is full says so to the operator, and leaves nothing behind that is in the way later. */
const Full = suite('worker: a disk that is full')

let folder: string
Full.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-full-'))
})
Full.after.each(() => {
  emptyDisk()
  rmSync(folder, { recursive: true, force: true })
})

const settings = () =>
  readSettings({
    flags: { home: folder },
    env: { HOME: folder, WORKER_PASSWORD: 'correct horse' },
    file: undefined,
  })

async function refuses(call: () => unknown, why: RegExp): Promise<void> {
  const error = await new Promise((resolve) => resolve(call())).catch((cause: unknown) => cause)
  assert.instance(error, ConfigError)
  assert.match((error as Error).message, why)
}

Full('no key is made then, and one is made when there is room', async () => {
  fillDisk()
  await refuses(() => keys(settings(), 'new'), /keystore\.json cannot be written.*Make room/)
  emptyDisk()
  assert.match(await keys(settings(), 'new'), /^0x/)
})

Full('contracts are remembered when there is room; a damaged file is named', async () => {
  const challenge = {
    chainId: 1,
    jobEscrow: Buffer.alloc(20, 1),
    workerStaking: Buffer.alloc(20, 2),
  } as unknown as Challenge
  fillDisk()
  await refuses(
    () => trustedContracts(settings(), { pool: 'pool:1', challenge }),
    /contracts\.json cannot be written/,
  )
  emptyDisk()
  assert.is(trustedContracts(settings(), { pool: 'pool:1', challenge }).chainId, 1)
  assert.is(trustedContracts(settings(), { pool: 'pool:1', challenge }).chainId, 1)
  writeFileSync(join(folder, 'contracts.json'), '')
  await refuses(
    () => trustedContracts(settings(), { pool: 'pool:1', challenge }),
    /contracts\.json is damaged/,
  )
})

const jobs = [1, 2].map((n) => makeJobId(toUnixMs(n), Buffer.alloc(16, n)))
const completion = (n: number) => ({
  jobId: jobs[n]!,
  outputHash: toHex32(`0x${'1'.repeat(64)}`),
  outputTokens: 7,
  completedAt: 1_800_000_000,
})

Full(
  'what cannot be written down whole is not signed, and takes no other line with it',
  async () => {
    const path = join(folder, 'signed.log')
    const signed = SignedJobs.open(path, 1_800_000_000)
    fillDisk()
    for (let times = 0; times < 2; times++) {
      assert.throws(() => signed.claim(completion(0)), /no space left/)
      assert.not(signed.has(jobs[0]!))
      assert.not(signed.isWritable)
    }
    emptyDisk()
    assert.ok(signed.isWritable)
    assert.ok(signed.claim(completion(1)))
    signed.close()
    const again = SignedJobs.open(path, 1_800_000_000)
    assert.not(again.has(jobs[0]!))
    assert.ok(again.has(jobs[1]!))
    again.close()
    fillDisk()
    await refuses(() => SignedJobs.open(path, 1_800_000_000), /signed\.log cannot be written.*room/)
  },
)

Full('nor where a job ends before anybody has looked whether there is room again', () => {
  const path = join(folder, 'signed.log')
  const signed = SignedJobs.open(path, 1_800_000_000)
  fillDisk()
  assert.throws(() => signed.claim(completion(0)), /no space left/)
  emptyDisk()
  assert.ok(signed.claim(completion(1)))
  signed.close()
  const again = SignedJobs.open(path, 1_800_000_000)
  assert.equal([again.has(jobs[0]!), again.has(jobs[1]!)], [false, true])
  again.close()
})

Full(
  'what is old is not dropped from the file then, and what is signed after is still found',
  () => {
    const path = join(folder, 'signed.log')
    const id = (n: number) => makeJobId(toUnixMs(n), Buffer.alloc(16, 3))
    const [now, later] = [1_800_000_000, 1_800_000_000 + 2 * 24 * 3_600]
    const signed = SignedJobs.open(path, now)
    for (let n = 0; n < 10_100; n++) signed.claim({ ...completion(0), jobId: id(n) })
    signed.claim({ ...completion(0), completedAt: later })
    fillDisk()
    signed.sweep(later)
    emptyDisk()
    assert.equal(readdirSync(folder), ['signed.log'], 'nothing is left that takes room')
    signed.claim({ ...completion(1), completedAt: later })
    signed.close()
    const again = SignedJobs.open(path, later)
    assert.equal([again.has(jobs[0]!), again.has(jobs[1]!)], [true, true])
    again.close()
  },
)

Full.run()

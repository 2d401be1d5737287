import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Challenge } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { ConfigError } from '../../../src/config/read.ts'
import { findContracts, trustedContracts } from '../../../src/worker/chain/contracts.ts'
import { readSettings } from '../../../src/worker/cli/settings.ts'

const Contracts = suite('worker: its contracts')

let folder: string
Contracts.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-contracts-'))
})
Contracts.after.each(() => rmSync(folder, { recursive: true, force: true }))

const NO_POOL = '127.0.0.1:1'
const settings = (flags: Record<string, string> = {}) =>
  readSettings({
    flags: { home: folder, pool: NO_POOL, ...flags },
    env: { HOME: folder },
    file: undefined,
  })
const address = (byte: string) => `0x${byte.repeat(20)}`
const challenge = {
  chainId: 7,
  jobEscrow: new Uint8Array(20).fill(0x11),
  workerStaking: new Uint8Array(20).fill(0x22),
} as Challenge

Contracts('those of the first time: what is earned and staked waits for no pool', async () => {
  trustedContracts(settings(), { pool: 'pool:1', challenge })
  assert.equal(await findContracts(settings()), {
    chainId: 7,
    jobEscrow: address('11'),
    workerStaking: address('22'),
  })
  const named = await findContracts(settings({ 'job-escrow': address('33') }))
  assert.is(named.jobEscrow, address('33'))
})

Contracts('other ones are refused, and the pool that names them is named alone', () => {
  const several = settings({ pool: 'pool:1,pool:2' })
  trustedContracts(several, { pool: 'pool:1', challenge })
  const other = { ...challenge, chainId: 8 }
  assert.throws(
    () => trustedContracts(several, { pool: 'pool:2', challenge: other }),
    /^the pool pool:2 names other contracts than before \(chain 8/,
  )
})

Contracts('a network that has moved: those of before are reached by their addresses', async () => {
  const moved = { ...challenge, chainId: 8, jobEscrow: new Uint8Array(20).fill(0x33) } as Challenge
  trustedContracts(settings(), { pool: 'pool:1', challenge: moved })
  const before = settings({ 'job-escrow': address('11'), 'worker-staking': address('22') })
  const named = { jobEscrow: address('11'), workerStaking: address('22') }
  assert.equal(await findContracts(before), named, 'on the chain of --rpc')
  assert.equal(trustedContracts(before, { pool: 'pool:1', challenge: moved }), {
    ...named,
    chainId: 8,
  })
  assert.is((await findContracts(settings())).jobEscrow, address('33'), 'the others stay known')
})

Contracts('named by the operator, they are not remembered as the word of a pool', () => {
  const given = settings({ 'job-escrow': address('11'), 'worker-staking': address('22') })
  trustedContracts(given, { pool: 'pool:1', challenge })
  const moved = { ...challenge, workerStaking: new Uint8Array(20).fill(0x44) } as Challenge
  const said = trustedContracts(settings(), { pool: 'pool:1', challenge: moved })
  assert.is(said.workerStaking, address('44'))
})

Contracts('none, where none was ever seen', async () => {
  const outcome = await findContracts(settings()).then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.instance(outcome, ConfigError)
  assert.match(String(outcome), /no pool answers/)
})

Contracts.run()

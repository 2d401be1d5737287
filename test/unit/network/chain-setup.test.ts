import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ABI_HASH } from '../../../src/chain/abi.ts'
import { compileContracts } from '../../../src/network/chain/chain-setup.ts'
import { dataDirAt } from '../../../src/network/data/data-dir.ts'
import { makeScreen } from '../../../src/network/screen.ts'

const Setup = suite('chain of a development network')
const dir = dataDirAt(mkdtempSync(`${tmpdir()}/svc-setup-`))
const screen = makeScreen({ write: () => {} }, () => 0)
const holds = (abiHash: string | undefined) =>
  writeFileSync(
    dir.contractsFile,
    JSON.stringify({
      chain_id: 31_337,
      job_escrow: `0x${'ab'.repeat(20)}`,
      worker_staking: `0x${'cd'.repeat(20)}`,
      usdg: `0x${'ef'.repeat(20)}`,
      r_compute: `0x${'0c'.repeat(20)}`,
      model_registry: `0x${'0d'.repeat(20)}`,
      governor: `0x${'0e'.repeat(20)}`,
      timelock: `0x${'0f'.repeat(20)}`,
      deploy_block: 3,
      abi_hash: abiHash,
    }),
  )

Setup('the state of an older version is refused, with what to do', async () => {
  for (const older of [undefined, 'another']) {
    holds(older)
    const error = await compileContracts(dir, screen).catch((one: unknown) => one)
    assert.match(String(error), /contracts of another version: start with --fresh/)
    assert.match(String(error), dir.path)
  }
})

Setup('the state of this version needs no compiler', async () => {
  holds(ABI_HASH)
  await compileContracts(dir, screen)
})

Setup.after(() => rmSync(dir.path, { recursive: true }))
Setup.run()

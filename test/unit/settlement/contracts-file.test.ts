import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findContracts, readContracts, writeContracts } from '../../../src/chain/contracts-file.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'

const ContractsFile = suite('address file')
const dir = mkdtempSync(join(tmpdir(), 'svc-contracts-'))
const write = (name: string, text: string): string => {
  const path = join(dir, name)
  writeFileSync(path, text)
  return path
}
const refused = async (path: string): Promise<string> => {
  const error = await readContracts(path).catch((one: unknown) => one)
  assert.instance(error, OperatorError, 'said without a stack')
  return String(error)
}
const file = {
  chain_id: 31_337,
  job_escrow: `0x${'Ab'.repeat(20)}`,
  worker_staking: `0x${'cd'.repeat(20)}`,
  usdg: `0x${'ef'.repeat(20)}`,
  r_compute: `0x${'0c'.repeat(20)}`,
  model_registry: `0x${'0d'.repeat(20)}`,
  governor: `0x${'0e'.repeat(20)}`,
  timelock: `0x${'0f'.repeat(20)}`,
  deploy_block: 3,
  abi_hash: 'abcd',
}

ContractsFile('reads addresses, in lower case', async () => {
  const contracts = await readContracts(write('good.json', JSON.stringify(file)))
  assert.is(contracts.jobEscrow, `0x${'ab'.repeat(20)}`)
  assert.is(contracts.deployBlock, 3)
  assert.is(contracts.abiHash, 'abcd')
})

ContractsFile('an older one says nothing of its version', async () => {
  const older = JSON.stringify({ ...file, abi_hash: undefined })
  assert.is((await readContracts(write('older.json', older))).abiHash, '')
})

ContractsFile('one from before there were models on chain is of another version', async () => {
  const older = JSON.stringify({ ...file, governor: undefined, model_registry: undefined })
  assert.match(await refused(write('older.json', older)), /names contracts of another version/)
})

ContractsFile('reads what was written', async () => {
  const path = write('written.json', JSON.stringify(file))
  const contracts = await readContracts(path)
  await writeContracts(path, contracts)
  assert.equal(await readContracts(path), contracts)
})

ContractsFile('says what to do where there is none, or where it is something else', async () => {
  assert.match(await refused(join(dir, 'none.json')), /none.json does not exist; deploy/)
  assert.match(await refused(write('broken.json', '{')), /broken.json is not an address file/)
  const part = JSON.stringify({ ...file, usdg: undefined })
  assert.match(await refused(write('part.json', part)), /part.json is not an address file/)
})

ContractsFile('whoever only looks for one is told as much of what it is not', async () => {
  assert.is(await findContracts(join(dir, 'none.json')), undefined)
  const said = await findContracts(write('cut-off.json', '{"chain_id": 1')).catch(String)
  assert.match(String(said), /cut-off.json is not an address file/)
})

// Mounted from a folder of root's into a container, it is EACCES; a test that root runs can read that one.
ContractsFile('one that cannot be read is not called something else', async () => {
  const said = await refused(dir)
  assert.match(said, /svc-contracts-\w+ cannot be read \(EISDIR\); let the user that this runs as/)
  assert.not.match(said, /deploy/)
})

ContractsFile.after(() => rmSync(dir, { recursive: true }))
ContractsFile.run()

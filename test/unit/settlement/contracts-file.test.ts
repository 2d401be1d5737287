import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readContracts } from '../../../src/chain/contracts-file.ts'

const ContractsFile = suite('address file')
const dir = mkdtempSync(join(tmpdir(), 'svc-contracts-'))
const write = (name: string, text: string): string => {
  const path = join(dir, name)
  writeFileSync(path, text)
  return path
}
const refused = async (path: string): Promise<string> => {
  const error = await readContracts(path).catch((one: unknown) => one)
  return String(error)
}
const file = {
  chain_id: 31_337,
  job_escrow: `0x${'Ab'.repeat(20)}`,
  worker_staking: `0x${'cd'.repeat(20)}`,
  usdg: `0x${'ef'.repeat(20)}`,
  deploy_block: 3,
}

ContractsFile('reads addresses, in lower case', async () => {
  const contracts = await readContracts(write('good.json', JSON.stringify(file)))
  assert.is(contracts.jobEscrow, `0x${'ab'.repeat(20)}`)
  assert.is(contracts.deployBlock, 3)
})

ContractsFile('says what to do where there is none, or where it is something else', async () => {
  assert.match(await refused(join(dir, 'none.json')), /none.json does not exist; deploy/)
  assert.match(await refused(write('broken.json', '{')), /broken.json is not an address file/)
  const part = JSON.stringify({ ...file, usdg: undefined })
  assert.match(await refused(write('part.json', part)), /part.json is not an address file/)
})

ContractsFile.after(() => rmSync(dir, { recursive: true }))
ContractsFile.run()

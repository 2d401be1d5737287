import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readContracts } from '../../src/chain/contracts-file.ts'
import { LAUNCH_LINEUP } from '../../src/domain/models.ts'
import {
  addressOf,
  type EmptyChain,
  KEYS,
  SETTINGS,
  startEmptyChain,
} from '../fakes/chain/anvil.ts'
import { HOLDERS, runDeploy } from '../fakes/chain/deploy-command.ts'
import { type RpcBetween, startBetween } from '../fakes/chain/rpc-between.ts'

/** `npm run deploy`, killed and run again. */
const Command = suite('npm run deploy, killed')

const TRANSACTIONS = 10 + LAUNCH_LINEUP.length

let chain: EmptyChain
let between: RpcBetween

Command.before(async () => {
  chain = await startEmptyChain()
  between = await startBetween(chain.rpcUrl)
})

Command.before.each(() => {
  between.answer = (_, forward) => forward()
})

Command.after(async () => {
  await between.close()
  await chain.stop()
})

const run = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  started?: (child: ChildProcess) => void,
) => runDeploy(args, { RPC_URL: between.url, CONTRACTS_FILE: addressFile(), ...env }, started)
const addressFile = () => join(chain.dir, 'contracts.json')
const sentSoFar = async (): Promise<number> =>
  Number(await chain.rpc.call('eth_getTransactionCount', [addressOf(KEYS.deployer), 'latest']))

Command('killed by force, it goes on where it was, and then verifies', async () => {
  let child: ChildProcess | undefined
  let sent = 0
  between.answer = async ({ method }, forward) => {
    const answer = await forward()
    if (method === 'eth_sendRawTransaction' && ++sent === 5) child?.kill('SIGKILL')
    return answer
  }
  const killed = await run(['--development-token'], HOLDERS, (one) => {
    child = one
  })
  assert.is(killed.code, null, killed.said)
  assert.is(await sentSoFar(), 5)
  assert.not.ok(existsSync(addressFile()), 'no role finds half a deployment')

  // Nothing has to be named again.
  const second = await run([])
  assert.is(second.code, 0, second.said)
  assert.match(second.said, new RegExp(`^${TRANSACTIONS - 5} transactions on chain 31337`))
  assert.match(second.said, /all \d+ are as asked/)
  assert.is(await sentSoFar(), TRANSACTIONS)

  const again = await run([])
  assert.is(again.code, 0, again.said)
  assert.match(again.said, /names contracts already/)
  assert.is(await sentSoFar(), TRANSACTIONS)
  await readContracts(addressFile())
})

Command('verifying needs no key, and ends with 1 where something differs', async () => {
  const noKey = { DEPLOYER_PRIVATE_KEY: '' }
  const good = await run(['--verify'], noKey)
  assert.is(good.code, 0, good.said)
  const bad = await run(['--verify', '--pauser', SETTINGS.treasury], noKey)
  assert.is(bad.code, 1)
  assert.match(
    bad.said,
    new RegExp(`✗ +JobEscrow: who is PAUSER +asked ${SETTINGS.treasury}, found ${SETTINGS.pauser}`),
  )
  assert.match(bad.said, /1 of \d+ are not as asked/)
})

Command.run()

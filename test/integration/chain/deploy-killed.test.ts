import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readContracts } from '../../../src/chain/contracts-file.ts'
import { SETTINGS } from '../../fakes/chain/anvil.ts'
import { deployOnEmptyChain, HOLDERS, TRANSACTIONS } from '../../fakes/chain/deploy-command.ts'

/** `npm run deploy`, killed and run again. */
const Command = suite('npm run deploy, killed')

const { addressFile, answerBy, run, sentSoFar } = deployOnEmptyChain(Command)

Command('killed by force, it goes on where it was, and then verifies', async () => {
  let child: ChildProcess | undefined
  let sent = 0
  answerBy(async ({ method }, forward) => {
    const answer = await forward()
    if (method === 'eth_sendRawTransaction' && ++sent === 5) child?.kill('SIGKILL')
    return answer
  })
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

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'uvu'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { addressOf, type EmptyChain, KEYS, SETTINGS, startEmptyChain } from './anvil.ts'
import { type RpcBetween, startBetween } from './rpc-between.ts'

const DEADLINE_MS = 150_000

/** Who does what, as the environment names them. */
export const HOLDERS = {
  TREASURY_ADDRESS: SETTINGS.treasury,
  LOCKER_ADDRESS: SETTINGS.locker,
  SETTLER_ADDRESS: SETTINGS.settler,
  WITHDRAWAL_SIGNER_ADDRESS: SETTINGS.withdrawalSigner,
  PAUSER_ADDRESS: SETTINGS.pauser,
  ARBITER_ADDRESS: SETTINGS.arbiter,
}

/** Six contracts, with the development token; the escrow is named; three roles change hands. */
export const TRANSACTIONS = 10 + LAUNCH_LINEUP.length

/**
 * The tests of that suite share an empty chain, and each has a way to it of its own that it may
 * change with `answerBy`.
 */
export function deployOnEmptyChain(suite: Test) {
  let chain: EmptyChain
  let between: RpcBetween

  suite.before(async () => {
    chain = await startEmptyChain()
    between = await startBetween(chain.rpcUrl)
  })
  suite.before.each(() => {
    between.answer = (_, forward) => forward()
  })
  suite.after(async () => {
    await between.close()
    await chain.stop()
  })

  const addressFile = () => join(chain.dir, 'contracts.json')
  return {
    addressFile,
    answerBy: (answer: RpcBetween['answer']): void => {
      between.answer = answer
    },
    run: (
      args: readonly string[],
      env: Readonly<Record<string, string>> = {},
      started?: (child: ChildProcess) => void,
    ): Promise<Ran> =>
      runDeploy(args, { RPC_URL: between.url, CONTRACTS_FILE: addressFile(), ...env }, started),
    sentSoFar: async (): Promise<number> =>
      Number(await chain.rpc.call('eth_getTransactionCount', [addressOf(KEYS.deployer), 'latest'])),
  }
}

interface Ran {
  readonly code: number | null
  readonly said: string
}

/** Runs `npm run deploy` to its end, as the deployer of the tests. */
function runDeploy(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  started: (child: ChildProcess) => void = () => {},
): Promise<Ran> {
  const main = ['src/network/program.mjs', 'deploy']
  const child = spawn(process.execPath, [...main, ...args], {
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, DEPLOYER_PRIVATE_KEY: KEYS.deployer },
      ...env,
    },
  })
  let said = ''
  child.stdout.on('data', (text) => (said += text))
  child.stderr.on('data', (text) => (said += text))
  started(child)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${args.join(' ')} did not end in ${DEADLINE_MS} ms\n${said}`))
    }, DEADLINE_MS)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code, said })
    })
  })
}

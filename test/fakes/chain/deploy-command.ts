import { type ChildProcess, spawn } from 'node:child_process'
import { KEYS, SETTINGS } from './anvil.ts'

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

export interface Ran {
  readonly code: number | null
  readonly said: string
}

/** Runs `npm run deploy` to its end, as the deployer of the tests. */
export function runDeploy(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  started: (child: ChildProcess) => void = () => {},
): Promise<Ran> {
  const main = ['--import', 'tsx', 'src/chain/deploy/main.ts']
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

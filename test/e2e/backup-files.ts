import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chainStateFiles } from '../../src/network/chain/chain-state.ts'
import type { Network } from '../network/network.ts'
import { until } from '../until.ts'

/** What an operator keeps a copy of; the chain is the chain's, and Redis holds no only copy. */
const KEPT = ['nats', 'keys.json', 'contracts.json']
/** Of others: the chain, the workers' own machines. And what `npm start` wants to see. */
const OTHERS = new Set([...chainStateFiles('chain.json'), 'workers', '.svc-network'])

/**
 * As a snapshot of the file system makes it: all that nats-server had written at one moment, while it
 * ran. It is halted for the copy, which takes longer than a snapshot does.
 */
export async function takeBackup(network: Network, to: string): Promise<void> {
  const halted = network.kill('nats', 'SIGSTOP')
  try {
    await untilHalted(halted)
    for (const name of KEPT) {
      cpSync(join(network.dataDir, name), join(to, name), { recursive: true })
    }
  } finally {
    process.kill(halted, 'SIGCONT')
  }
}

/** A signal is answered a moment later. */
export async function untilHalted(pid: number): Promise<void> {
  await until(`${pid} halted`, () => stateOf(pid).startsWith('T'))
}

const stateOf = (pid: number): string =>
  execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).trim()

/** The machine is gone, with the disks of NATS and Redis. */
export function loseAll(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!OTHERS.has(name)) rmSync(join(dataDir, name), { recursive: true })
  }
}

export const restore = (backup: string, dataDir: string): void =>
  cpSync(backup, dataDir, { recursive: true })

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { deployContracts } from '../../../src/chain/deploy/deploy.ts'
import { defaultTerms, type Settings } from '../../../src/chain/deploy/settings.ts'
import { fundWallet } from '../../../src/chain/fund.ts'
import { makeRpc, type Rpc } from '../../../src/chain/rpc/json-rpc.ts'
import { makeLocalSigner } from '../../../src/chain/send/transaction.ts'
import { type Credits, toCredits } from '../../../src/domain/credits.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import { privateKeyAddress } from '../../../src/domain/proof.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import { ended, onFreePort, untilListening } from '../../integration/servers.ts'

const ANVIL = fileURLToPath(new URL('../../../node_modules/.bin/anvil', import.meta.url))

/** Accounts that every anvil funds; public knowledge. */
export const KEYS = {
  deployer: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  lock: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  settle: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  wallet: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  arbiter: '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  withdrawalSigner: '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  pauser: '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  worker: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
} as const satisfies Record<string, Hex>

export const keyBytes = (key: Hex): Buffer => Buffer.from(key.slice(2), 'hex')
export const addressOf = (key: Hex): Address => privateKeyAddress(keyBytes(key))

/** The lanes' keys, as the lanes use them. */
export const SIGNERS = {
  lock: makeLocalSigner(KEYS.lock),
  settle: makeLocalSigner(KEYS.settle),
} as const

/** Who does what. The deployer keeps ruling the escrow, so that tests need no vote. */
export const SETTINGS: Settings = {
  token: 'development',
  treasury: toAddress(`0x${'77'.repeat(20)}`),
  locker: addressOf(KEYS.lock),
  settler: addressOf(KEYS.settle),
  withdrawalSigner: addressOf(KEYS.withdrawalSigner),
  pauser: addressOf(KEYS.pauser),
  arbiter: addressOf(KEYS.arbiter),
  admin: addressOf(KEYS.deployer),
  governance: 'timelock',
  terms: defaultTerms(),
}

/** A chain of its own that mines at each transaction, with the contracts and one funded wallet. */
export interface LocalChain {
  readonly rpcUrl: string
  readonly rpc: Rpc
  readonly contracts: Contracts
  readonly pid: number
  stop(): Promise<void>
}

/** A chain of its own with nothing on it, that mines at each transaction. */
export interface EmptyChain extends Omit<LocalChain, 'contracts'> {
  /** For files; gone with the chain. */
  readonly dir: string
}

/** @param keepsHistory `anvil_reorg` needs the states of earlier blocks */
export async function startChain(credits: bigint, keepsHistory = false): Promise<LocalChain> {
  const chain = await startEmptyChain(keepsHistory)
  const { contracts } = await furnish(chain, toCredits(credits))
  return { ...chain, contracts }
}

/** Puts contracts on a chain, and credits of one wallet; what it has already stays as it is. */
export async function furnish(
  { rpcUrl, dir }: Pick<EmptyChain, 'rpcUrl' | 'dir'>,
  credits: Credits,
) {
  const contracts = await deployContracts({
    rpcUrl,
    deployerPrivateKey: KEYS.deployer,
    settings: SETTINGS,
    addressFile: join(dir, 'contracts.json'),
  })
  const wallet = { walletPrivateKey: KEYS.wallet, credits }
  return { contracts, wallet: await fundWallet({ rpcUrl, contracts, ...wallet }) }
}

export async function startEmptyChain(keepsHistory = false): Promise<EmptyChain> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-chain-'))
  const { child, port } = await onFreePort((port) => launch(port, keepsHistory))
  const rpcUrl = `http://127.0.0.1:${port}`
  const rpc = makeRpc(rpcUrl)
  return {
    rpcUrl,
    rpc,
    dir,
    pid: child.pid!,
    stop: async () => {
      await rpc.close()
      child.kill('SIGTERM')
      await ended(child)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function launch(port: number, keepsHistory: boolean): Promise<ChildProcess> {
  const args = ['--port', `${port}`, '--silent', '--order', 'fifo']
  if (!keepsHistory) args.push('--prune-history')
  const child = spawn(ANVIL, args, { stdio: 'ignore' })
  const rpc = makeRpc(`http://127.0.0.1:${port}`)
  const answers = () =>
    rpc.call('eth_chainId', []).then(
      () => true,
      () => false,
    )
  await untilListening(child, `anvil to answer on ${port}`, answers).finally(() => rpc.close())
  return child
}

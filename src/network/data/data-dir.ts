import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { recordPath } from '../../chain/deploy/record.ts'
import { chainStateFiles, hasChainState } from '../chain/chain-state.ts'

/** Where one network keeps what it must not forget. */
export interface DataDir {
  readonly path: string
  readonly networkFile: string
  readonly keysFile: string
  readonly contractsFile: string
  readonly pidsFile: string
  readonly chainState: string
  readonly natsStore: string
  readonly redisStore: string
  readonly redisUsersFile: string
  readonly workers: string
  readonly logs: string
}

/** Says that a folder holds a network, so that nothing else is ever removed. */
const MARKER = '.svc-network'

export function dataDirAt(path: string): DataDir {
  return {
    path,
    networkFile: join(path, 'network.json'),
    keysFile: join(path, 'keys.json'),
    contractsFile: join(path, 'contracts.json'),
    pidsFile: join(path, 'pids.json'),
    chainState: join(path, 'chain.json'),
    natsStore: join(path, 'nats'),
    redisStore: join(path, 'redis'),
    redisUsersFile: join(path, 'redis-users.acl'),
    workers: join(path, 'workers'),
    logs: join(path, 'logs'),
  }
}

const stateOf = (dir: DataDir): readonly string[] => [
  dir.keysFile,
  dir.contractsFile,
  recordPath(dir.contractsFile),
  ...chainStateFiles(dir.chainState),
  dir.natsStore,
  dir.redisStore,
  dir.redisUsersFile,
  dir.workers,
  dir.logs,
]

/**
 * To be asked before anything of the folder is touched: names as `redis` and `nats` are also those of strangers.
 * @throws where it is not a network's, and something would be removed from it
 */
export function requireOwn(dir: DataDir, fresh: boolean): void {
  if (existsSync(join(dir.path, MARKER))) return
  // A copy that lacks the marker goes on: nothing of it is removed.
  if (!fresh && hasChainState(dir.chainState)) return
  const found = [dir.networkFile, ...stateOf(dir)].find(holdsSomething)
  if (found === undefined) return
  throw new Error(
    `${dir.path} was not made by npm start (it has no ${MARKER}) and has a ${basename(found)}, so nothing was removed; give another --data-dir`,
  )
}

function holdsSomething(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !(stats.isDirectory() && readdirSync(path).length === 0)
}

/** Makes the folder, without the state of before when `fresh`. Nothing of it may be running. */
export function openDataDir(dir: DataDir, fresh: boolean): void {
  if (fresh) for (const path of stateOf(dir)) remove(path)
  mkdirSync(dir.path, { recursive: true })
  writeFileSync(
    join(dir.path, MARKER),
    'The state of one local network. See npm start -- --help.\n',
  )
  // The journal and the ledger speak of one chain. Where that chain is gone, so is their meaning.
  if (!hasChainState(dir.chainState)) {
    const record = recordPath(dir.contractsFile)
    const ofChain = [...chainStateFiles(dir.chainState), dir.contractsFile, record]
    for (const path of [...ofChain, dir.natsStore, dir.redisStore]) remove(path)
  }
  for (const path of [dir.natsStore, dir.redisStore, dir.logs]) mkdirSync(path, { recursive: true })
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true })

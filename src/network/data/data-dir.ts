import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** Says that a folder holds a network, so that `--fresh` never removes anything else. */
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

/** Makes the folder, without the state of before when `fresh`. Nothing of it may be running. */
export function openDataDir(dir: DataDir, fresh: boolean): void {
  if (fresh) removeState(dir)
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

function removeState(dir: DataDir): void {
  const present = stateOf(dir).filter((path) => existsSync(path))
  if (present.length === 0) return
  if (!existsSync(join(dir.path, MARKER))) {
    throw new Error(
      `--fresh: ${dir.path} was not made by npm start (it has no ${MARKER}), so nothing was removed; give another --data-dir`,
    )
  }
  for (const path of present) remove(path)
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true })

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Network } from './network.ts'

/** The key of one of the workers that the network itself runs. @throws where none has the address */
export function workerKey({ dataDir }: Pick<Network, 'dataDir'>, worker: string): Hex {
  const keys: Hex[] = JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8')).workers
  const key = keys.find((each) => privateKeyToAccount(each).address.toLowerCase() === worker)
  if (!key) throw new Error(`no key of this network is the worker ${worker}`)
  return key
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { privateKeyToAddress } from 'viem/accounts'
import type { Network, Role } from '../network/network.ts'
import { until } from '../until.ts'

/** Kills one process of a role and waits for the launcher to have started it anew. */
export async function killAndWait(network: Network, role: Role, index = 0): Promise<void> {
  const count = network.pids(role).length
  const killed = network.kill(role, 'SIGKILL', index)
  await untilReplaced(network, role, killed, count)
}

export const untilReplaced = (network: Network, role: Role, killed: number, count: number) =>
  until(`${role} is back`, async () => {
    const pids = network.pids(role)
    return pids.length === count && !pids.includes(killed)
  })

/** How often this process has said that it is ready: that it runs again is not enough to go on. */
export const startsOf = (network: Network, role: Role, index: number): number =>
  readFileSync(join(network.dataDir, 'logs', `${role}-${index + 1}.log`), 'utf8')
    .split('\n')
    .filter((line) => READY.test(line)).length
const READY = /"msg":"(?:\w+: ready|connected: ready for jobs)"/

/** Waits until that many workers serve the model, as every edge sees it. */
export async function untilServed(
  network: Pick<Network, 'base_urls' | 'api_key'>,
  model: string,
  workers: number,
  withinMs?: number,
): Promise<void> {
  for (const url of network.base_urls) {
    await until(
      `${workers} workers of ${model}`,
      async () => {
        const answer = await fetch(`${url}/models`, {
          headers: { authorization: `Bearer ${network.api_key}` },
          signal: AbortSignal.timeout(5_000),
        }).catch(() => undefined)
        if (!answer?.ok) return undefined
        const { data } = (await answer.json()) as {
          data: { id: string; svc: { active_workers: number } }[]
        }
        return data.find(({ id }) => id === model)?.svc.active_workers === workers
      },
      withinMs,
    )
  }
}

/** Which of the network's workers signs with this address. */
export function workerIndex(network: Network, address: string): number {
  const { workers } = JSON.parse(readFileSync(join(network.dataDir, 'keys.json'), 'utf8')) as {
    workers: `0x${string}`[]
  }
  const index = workers.findIndex(
    (key) => privateKeyToAddress(key).toLowerCase() === address.toLowerCase(),
  )
  assert.ok(index >= 0, `${address} is no worker of this network`)
  return index
}

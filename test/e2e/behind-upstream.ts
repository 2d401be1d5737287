import { Upstream } from '../fakes/pool/upstream.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { ChainReader } from './chain-reader.ts'
import { bodyOf, type Customer, firstCustomer, send } from './customer.ts'

/** A network of two workers that ask an upstream whose answers a test writes. */
export interface BehindUpstream {
  readonly upstream: Upstream
  readonly network: Network
  readonly customer: Customer
  readonly chain: ChainReader
  close(): Promise<void>
}

/** @param env settings of the network's roles, like JOB_WINDOW_SECONDS */
export async function networkBehind(
  models: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<BehindUpstream> {
  const upstream = await new Upstream(models).open()
  const network = await startNetwork({
    flags: ['--upstream', upstream.url],
    // The test says what the upstream is asked and answers, from the first request on.
    env: { POOL_CANARY: 'false', ...env },
  }).catch(async (error: unknown) => {
    await upstream.close()
    throw error
  })
  const customer = firstCustomer(network)
  const close = async () => {
    await network.stop()
    await upstream.close()
  }
  // Ready means that one worker serves; what is tested behind an upstream needs both.
  const ready = until('two workers serve what the upstream has', async () =>
    (await listed(customer)).every(({ svc }) => svc.active_workers === 2),
  )
  await ready.catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { upstream, network, customer, chain: new ChainReader(network), close }
}

export async function listed(customer: Customer): Promise<readonly Listed[]> {
  const list: { data: Listed[] } = bodyOf(await send(customer, '/models'))
  return list.data
}

export interface Listed {
  readonly id: string
  readonly svc: { readonly active_workers: number }
}

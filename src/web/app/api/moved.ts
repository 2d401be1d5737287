import type { DepositAddress, WebConfig } from '../../api.ts'
import { call } from './call.ts'
import { Unreachable } from './failure.ts'

/** What this page was loaded with leads to contracts that the service has left. */
export class Moved extends Error {
  override readonly name = 'Moved'
}

type Place = Pick<WebConfig, 'chain' | 'contracts'>

/** Whether the service works elsewhere by now. A later version may have contracts that this page does not know. */
export function hasMoved(web: Place, now: Place): boolean {
  const { deploy_block: _, ...addresses } = web.contracts
  const there: Readonly<Record<string, unknown>> = now.contracts
  const isOther = ([name, address]: [string, string]) => there[name] !== address
  return web.chain.id !== now.chain.id || Object.entries(addresses).some(isOther)
}

/** Whether what this page would ask for is what is credited at the address: its token, on its chain. */
export const isPaidWith = (web: Place, { chain_id, usdg }: DepositAddress): boolean =>
  chain_id === web.chain.id && usdg === web.contracts.usdg

/**
 * Before money goes to the contracts. A page may be open for weeks, and over a sign-out; what is paid to contracts
 * that the service has left, it does not see.
 * @throws Moved; nothing where the service does not answer: it has not said that it has moved
 */
export async function requireUnmoved(web: WebConfig): Promise<void> {
  const now = await readConfig().catch(() => web)
  if (hasMoved(web, now)) throw new Moved('The service has moved to other contracts.')
}

/** As the service has it now. @throws where what answers is not the service, such as a network's own sign-in */
export async function readConfig(): Promise<WebConfig> {
  const now = await call<Partial<WebConfig> | null>('GET', '/config')
  if (now?.chain && now.contracts) return now as WebConfig
  throw new Unreachable('What answered is not the service.', { wasSent: false })
}

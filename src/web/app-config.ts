import type { WebConfig as Settings } from '../config/web-schema.ts'
import { UNITS_PER_CREDIT } from '../domain/credits.ts'
import type { Address } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'
import { TIER_PRICES } from '../domain/tiers.ts'
import type { WebConfig } from './api.ts'

/** Where the contracts are, as their address file says. */
interface Contracts {
  readonly chainId: number
  readonly jobEscrow: Address
  readonly workerStaking: Address
  readonly usdg: Address
  readonly rCompute: Address
  readonly modelRegistry: Address
  readonly governor: Address
  readonly timelock: Address
  readonly deployBlock: number
}

const COIN_DECIMALS = 18

/** What GET /api/config answers: nothing in it is secret. */
export function appConfig(settings: Settings, contracts: Contracts): WebConfig {
  const { chainId } = contracts
  const name = settings.WEB_DEVELOPMENT ? 'Development chain' : `Chain ${chainId}`
  return {
    service_prefix: settings.SERVICE_PREFIX,
    chain: {
      id: chainId,
      name: settings.CHAIN_NAME ?? name,
      rpc_url: settings.WEB_RPC_URL ?? settings.RPC_URL,
      coin: { name: settings.CHAIN_COIN, symbol: settings.CHAIN_COIN, decimals: COIN_DECIMALS },
    },
    explorer_url: settings.EXPLORER_URL ?? `${settings.WEB_URL}/explorer`,
    contracts: {
      job_escrow: contracts.jobEscrow,
      worker_staking: contracts.workerStaking,
      usdg: contracts.usdg,
      r_compute: contracts.rCompute,
      model_registry: contracts.modelRegistry,
      governor: contracts.governor,
      timelock: contracts.timelock,
      deploy_block: contracts.deployBlock,
    },
    base_url: settings.API_BASE_URL,
    docs_url: settings.DOCS_URL,
    walletconnect_project_id: settings.WALLETCONNECT_PROJECT_ID ?? null,
    development: settings.WEB_DEVELOPMENT,
    relays_deposits: settings.WEB_RELAYER_PRIVATE_KEY !== undefined,
    minimum_purchase_credits: LIMITS.purchaseCreditsMin,
    units_per_credit: Number(UNITS_PER_CREDIT),
    dispute_window_seconds: settings.DISPUTE_WINDOW_SECONDS,
    job_window_seconds: settings.JOB_WINDOW_SECONDS,
    session_hours: settings.WEB_SESSION_HOURS,
    tiers: Object.fromEntries(
      Object.entries(TIER_PRICES).map(([tier, { perRequest, per1kTokens }]) => [
        tier,
        { credits_per_request: Number(perRequest), credits_per_1k_tokens: Number(per1kTokens) },
      ]),
    ),
  }
}

import type { DependencyContainer } from 'tsyringe'
import { openCatalogue } from '../bus/buckets/catalogue.ts'
import { connectNats } from '../bus/connect.ts'
import { readContracts } from '../chain/contracts-file.ts'
import { connectWebChain } from '../chain/web.ts'
import type { Starting } from '../config/monitored.ts'
import { natsOf } from '../config/shared-settings.ts'
import type { WebConfig } from '../config/web-schema.ts'
import { TOKENS } from '../ports/tokens.ts'
import { countCoin } from '../runtime/count-coin.ts'
import { systemClock } from '../runtime/system-clock.ts'
import { connectRedis } from '../store/connect.ts'
import type { Log } from '../telemetry/log.ts'

const GWEI = 1_000_000_000

/** Registers the real NATS, Redis, chain and clock with the container. */
export async function connectWeb(
  c: DependencyContainer,
  config: WebConfig,
  log: Log,
  starting: Starting,
) {
  const contracts = await readContracts(config.CONTRACTS_FILE)
  const onChain = connectWebChain({
    rpcUrl: config.RPC_URL,
    contracts,
    relayerPrivateKey: config.WEB_RELAYER_PRIVATE_KEY,
    feeCeilingWei: BigInt(Math.round(config.WEB_RELAYER_MAX_FEE_GWEI * GWEI)),
    log,
  })
  const [nats, store, chain] = await Promise.all([
    starting.until('NATS', connectNats({ ...natsOf(config), name: 'web', log })),
    starting.until('Redis', connectRedis({ url: config.REDIS_URL, log })),
    starting.until('the settlement chain', onChain),
  ])
  const catalogue = await openCatalogue({ nats, contracts, clock: systemClock, log })
  if (chain.payer) {
    countCoin(
      { metrics: starting.metrics, clock: systemClock, log, coinOf: chain.coinOf },
      { relayer: chain.payer },
    )
  }
  c.register(TOKENS.clock, { useValue: systemClock })
  c.register(TOKENS.bus, { useValue: nats.bus })
  c.register(TOKENS.catalogue, { useValue: catalogue })
  c.register(TOKENS.keys, { useValue: await nats.registry('KEYS') })
  c.register(TOKENS.keyrings, { useValue: await nats.registry('KEYRINGS') })
  c.register(TOKENS.sessions, { useValue: await nats.registry('SESSIONS') })
  c.register(TOKENS.nonces, { useValue: await nats.registry('NONCES') })
  c.register(TOKENS.walletSettings, { useValue: await nats.registry('SETTINGS') })
  c.register(TOKENS.ledger, { useValue: store.ledger })
  c.register(TOKENS.jobViews, { useValue: store.jobViews })
  c.register(TOKENS.bursts, { useValue: store.bursts })
  c.register(TOKENS.keyUses, { useValue: store.keyUses })
  c.register(TOKENS.signIn, { useValue: chain.signIn })
  c.register(TOKENS.walletReader, { useValue: chain.reader })
  c.register(TOKENS.networkReader, { useValue: chain.network })
  c.register(TOKENS.depositRelay, { useFactory: () => chain.relay })
  c.register(TOKENS.faucet, { useFactory: () => chain.faucet })
  return {
    contracts,
    close: async () => {
      catalogue.stop()
      await chain.close()
      await store.close()
      await nats.close()
    },
  }
}

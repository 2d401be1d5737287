import type { DependencyContainer } from 'tsyringe'
import { openCatalogue } from '../bus/buckets/catalogue.ts'
import { connectNats } from '../bus/connect.ts'
import { readContracts } from '../chain/contracts-file.ts'
import type { Starting } from '../config/monitored.ts'
import type { EdgeConfig } from '../config/schema.ts'
import { natsOf } from '../config/shared-settings.ts'
import { TOKENS } from '../ports/tokens.ts'
import { systemClock } from '../runtime/system-clock.ts'
import { connectRedis } from '../store/connect.ts'
import type { Log } from '../telemetry/log.ts'

/** Registers the real NATS, Redis and clock with the container. */
export async function connectEdge(
  c: DependencyContainer,
  config: EdgeConfig,
  log: Log,
  starting: Starting,
) {
  const edgeId = Buffer.from(systemClock.randomBytes(8)).toString('hex')
  const contracts = await readContracts(config.CONTRACTS_FILE)
  const [nats, store] = await Promise.all([
    starting.until('NATS', connectNats({ ...natsOf(config), name: `edge-${edgeId}`, log })),
    starting.until('Redis', connectRedis({ url: config.REDIS_URL, log })),
  ])
  const catalogue = await openCatalogue({ nats, contracts, clock: systemClock, log })
  c.register(TOKENS.log, { useValue: log })
  c.register(TOKENS.clock, { useValue: systemClock })
  c.register(TOKENS.bus, { useValue: nats.bus })
  c.register(TOKENS.keys, { useValue: await nats.registry('KEYS') })
  c.register(TOKENS.factReader, { useValue: await nats.factReader() })
  c.register(TOKENS.listeners, { useValue: await nats.registry('LISTENERS') })
  c.register(TOKENS.catalogue, { useValue: catalogue })
  c.register(TOKENS.keyUses, { useValue: store.keyUses })
  c.register(TOKENS.ledger, { useValue: store.ledger })
  c.register(TOKENS.outputs, { useValue: store.outputs })
  c.register(TOKENS.bursts, { useValue: store.bursts })
  c.register(TOKENS.jobViews, { useValue: store.jobViews })
  return {
    edgeId,
    escrowAddress: contracts.jobEscrow,
    close: async () => {
      catalogue.stop()
      await store.close()
      await nats.close()
    },
  }
}

import type { DependencyContainer } from 'tsyringe'
import { connectNats } from '../src/bus/connect.ts'
import { connectChain, makeEscrowWriter } from '../src/chain/connect.ts'
import { readContracts } from '../src/chain/contracts-file.ts'
import type { ActorsConfig } from '../src/config/schema.ts'
import { TOKENS } from '../src/ports/tokens.ts'
import { systemClock } from '../src/runtime/system-clock.ts'
import { connectRedis } from '../src/store/connect.ts'
import type { Log } from '../src/telemetry/log.ts'

/** Registers the real NATS, Redis, chain and clock with the container. */
export async function connectActors(c: DependencyContainer, config: ActorsConfig, log: Log) {
  const hostId = `host-${Buffer.from(systemClock.randomBytes(8)).toString('hex')}`
  const contracts = await readContracts(config.CONTRACTS_FILE)
  const [nats, store, chain] = await Promise.all([
    connectNats({ servers: config.NATS_URL, name: hostId, log }),
    connectRedis({ url: config.REDIS_URL, log }),
    connectChain({ rpcUrl: config.RPC_URL, contracts, log }),
  ])
  const writer = makeEscrowWriter({
    rpcUrl: config.RPC_URL,
    contracts,
    keys: {
      lock: config.LOCKER_PRIVATE_KEY as `0x${string}`,
      settle: config.SETTLER_PRIVATE_KEY as `0x${string}`,
    },
    log,
  })
  c.register(TOKENS.log, { useValue: log })
  c.register(TOKENS.clock, { useValue: systemClock })
  c.register(TOKENS.bus, { useValue: nats.bus })
  c.register(TOKENS.jobJournal, { useValue: await nats.journal('JOB') })
  c.register(TOKENS.outbox, { useValue: await nats.journal('TX') })
  c.register(TOKENS.placements, { useValue: await nats.registry('PARTS') })
  c.register(TOKENS.cursors, { useValue: await nats.registry('CURSORS') })
  c.register(TOKENS.ledger, { useValue: store.ledger })
  c.register(TOKENS.outputs, { useValue: store.outputs })
  c.register(TOKENS.escrowReader, { useValue: chain.reader })
  c.register(TOKENS.escrowWriter, { useValue: writer })
  return {
    hostId,
    deployBlock: contracts.deployBlock,
    close: async () => {
      await Promise.all([chain.close(), writer.close(), store.close()])
      await nats.close()
    },
  }
}

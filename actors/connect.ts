import type { DependencyContainer } from 'tsyringe'
import { missingOf } from '../src/api/http/readiness.ts'
import { makeEventInterest } from '../src/bus/buckets/event-interest.ts'
import { claimDeployment } from '../src/bus/buckets/one-deployment.ts'
import { makeSettings } from '../src/bus/buckets/settings.ts'
import { connectNats, type NatsOfOwner } from '../src/bus/connect.ts'
import { type ChainConnection, connectChain } from '../src/chain/connect.ts'
import { type Contracts, readContracts } from '../src/chain/contracts-file.ts'
import { connectKeeper } from '../src/chain/keeper.ts'
import { openSigner, requireOwnAddresses } from '../src/chain/send/signers.ts'
import { makeVouchers } from '../src/chain/vouchers.ts'
import { makeEscrowWriter } from '../src/chain/writer.ts'
import type { Starting } from '../src/config/monitored.ts'
import type { ActorsConfig } from '../src/config/schema.ts'
import { natsOf } from '../src/config/shared-settings.ts'
import { catalogueKey } from '../src/messages/catalogue.ts'
import type { WalletWebhooks } from '../src/messages/webhook.ts'
import { openOutbound } from '../src/outbound/connect.ts'
import { TOKENS } from '../src/ports/tokens.ts'
import { countCoin, type PayingKeys } from '../src/runtime/count-coin.ts'
import { countRoom } from '../src/runtime/count-room.ts'
import { systemClock } from '../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../src/store/connect.ts'
import type { Log } from '../src/telemetry/log.ts'

const CHAIN = 'the settlement chain'

/** Registers the real NATS, Redis, chain and clock with the container. */
export async function connectActors(
  c: DependencyContainer,
  config: ActorsConfig,
  log: Log,
  starting: Starting,
) {
  const hostId = `host-${Buffer.from(systemClock.randomBytes(8)).toString('hex')}`
  const contracts = await readContracts(config.CONTRACTS_FILE)
  const [nats, store, chain] = await Promise.all([
    starting.until('NATS', connectNats({ ...natsOf(config), name: hostId, log })),
    starting.until('Redis', connectRedis({ url: config.REDIS_URL, log })),
    starting.until(CHAIN, connectChain({ rpcUrl: config.RPC_URL, contracts, log })),
  ])
  // The other roles may not make any: see the users of NATS in deploy/nats-users.conf.
  await nats.makeAll()
  for (const bucket of ['CURSORS', 'MODELS'] as const) {
    await claimDeployment(await nats.registry(bucket), contracts)
  }
  c.register(TOKENS.log, { useValue: log })
  c.register(TOKENS.clock, { useValue: systemClock })
  bindStore(c, store)
  const lanes = bindChain(c, config, { contracts, chain, log })
  const keeper = await bindKeeper(c, config, { contracts, nats, log })
  const closings = [lanes.close, keeper.close, await bindWebhooks(c, config, nats)]
  await bindNats(c, nats, log)
  const metrics = c.resolve(TOKENS.metrics)
  countCoin(
    { metrics, clock: systemClock, log, coinOf: chain.coinOf },
    { ...lanes.pay, ...keeper.pay },
  )
  countRoom({
    metrics,
    nats: async () => ({
      used: await nats.storedBytes(),
      max: config.NATS_MAX_FILE_STORE_GB * BYTES_PER_GB,
    }),
    redis: store.room,
    redisWrites: store.takesWrites,
  })
  const needs = [
    // More than a connection: a cluster without its majority keeps those, and takes no write.
    { what: 'NATS', isThere: () => nats.bus.connected && nats.storedBytes() },
    { what: 'Redis', isThere: () => store.ping() },
    { what: CHAIN, isThere: () => chain.reader.head() },
  ]
  return {
    hostId,
    deployBlock: contracts.deployBlock,
    jobEscrow: contracts.jobEscrow,
    catalogueKey: catalogueKey(contracts),
    missing: missingOf(needs, { clock: systemClock, log }),
    close: async () => {
      await Promise.all([...closings.map((close) => close()), chain.close(), store.close()])
      await nats.close()
    },
  }
}

type Close = () => Promise<void>

interface Bound {
  readonly pay: PayingKeys
  readonly close: Close
}

/** What several kinds read and write in NATS. */
async function bindNats(c: DependencyContainer, nats: NatsOfOwner, log: Log): Promise<void> {
  const settings = makeSettings({
    registry: await nats.registry('SETTINGS'),
    clock: systemClock,
    log,
  })
  c.register(TOKENS.bus, { useValue: nats.bus })
  c.register(TOKENS.jobJournal, { useValue: await nats.journal('JOB') })
  c.register(TOKENS.jobReader, { useValue: await nats.jobReader() })
  c.register(TOKENS.jobArchive, { useValue: await nats.archive() })
  c.register(TOKENS.outbox, { useValue: await nats.journal('TX') })
  c.register(TOKENS.placements, { useValue: await nats.registry('PARTS') })
  c.register(TOKENS.cursors, { useValue: await nats.registry('CURSORS') })
  c.register(TOKENS.models, { useValue: await nats.registry('MODELS') })
  c.register(TOKENS.facts, { useValue: await nats.facts() })
  c.register(TOKENS.settings, { useValue: settings })
  c.register(TOKENS.lowMarks, { useValue: await nats.registry('LOW') })
  c.register(TOKENS.keys, { useValue: await nats.registry('KEYS') })
  c.register(TOKENS.joins, { useValue: await nats.registry('JOINS') })
}

function bindStore(c: DependencyContainer, store: Store): void {
  c.register(TOKENS.jobViews, { useValue: store.jobViews })
  c.register(TOKENS.ledger, { useValue: store.ledger })
  c.register(TOKENS.setAsides, { useValue: store.setAsides })
  c.register(TOKENS.outputs, { useValue: store.outputs })
  c.register(TOKENS.storeFile, { useValue: store.file })
}

interface OnChain {
  readonly contracts: Contracts
  readonly log: Log
}

/** Reading for all; writing, with the keys of the lanes, only where this host settles. */
function bindChain(
  c: DependencyContainer,
  config: ActorsConfig,
  { contracts, chain, log }: OnChain & { readonly chain: ChainConnection },
): Bound {
  const lanes = config.ACTOR_KINDS.includes('settlement')
    ? openLanes(config, contracts, log)
    : undefined
  const vouchers = makeVouchers({
    rpcUrl: config.RPC_URL,
    contracts,
    privateKey: config.WITHDRAWAL_SIGNER_PRIVATE_KEY as `0x${string}` | undefined,
  })
  void chain.warnOfMissingRoles({ ...lanes?.keys, ...vouchers.keys })
  c.register(TOKENS.escrowReader, { useValue: chain.reader })
  c.register(TOKENS.modelReader, { useValue: chain.models })
  c.register(TOKENS.vouchers, { useValue: vouchers })
  if (lanes) c.register(TOKENS.escrowWriter, { useValue: lanes.writer })
  return {
    pay: lanes ? { locker: lanes.keys.LOCKER, settler: lanes.keys.SETTLER } : {},
    close: async () => {
      await Promise.all([lanes?.close(), vouchers.close()])
    },
  }
}

/** Without a key of its own a host keeps nothing. */
async function bindKeeper(
  c: DependencyContainer,
  {
    KEEPER_PRIVATE_KEY: privateKey,
    RPC_URL: rpcUrl,
    LOCKER_ADDRESS,
    SETTLER_ADDRESS,
  }: ActorsConfig,
  { contracts, nats, log }: OnChain & { readonly nats: NatsOfOwner },
): Promise<Bound> {
  if (!privateKey) return { pay: {}, close: async () => {} }
  const { signer } = openSigner({ privateKey })
  // Of the lanes those that a program signs for: keys were compared with keys.
  const lanes = { LOCKER: LOCKER_ADDRESS, SETTLER: SETTLER_ADDRESS }
  requireOwnAddresses({ ...lanes, KEEPER: signer.address })
  const keeper = connectKeeper({ rpcUrl, contracts, signer, log })
  c.register(TOKENS.wallets, { useValue: await nats.registry('WALLETS') })
  c.register(TOKENS.strikes, { useValue: await nats.registry('STRIKES') })
  c.register(TOKENS.keeperReader, { useValue: keeper.reader })
  c.register(TOKENS.keeperWriter, { useValue: keeper.writer })
  return { pay: { keeper: signer.address }, close: keeper.close }
}

async function bindWebhooks(
  c: DependencyContainer,
  config: ActorsConfig,
  nats: NatsOfOwner,
): Promise<Close> {
  const webhookMirror = await nats.mirror('WEBHOOKS', (value) => value as WalletWebhooks)
  const eventInterest = makeEventInterest({
    webhooks: webhookMirror,
    listeners: await nats.mirror('LISTENERS', () => systemClock.monotonic()),
    clock: systemClock,
  })
  const outbound = openOutbound({ clock: systemClock, devTargets: config.WEBHOOK_DEV_TARGETS })
  c.register(TOKENS.webhooks, { useValue: await nats.registry('WEBHOOKS') })
  c.register(TOKENS.webhookMirror, { useValue: webhookMirror })
  c.register(TOKENS.eventInterest, { useValue: eventInterest })
  c.register(TOKENS.deliveryHistory, { useValue: await nats.deliveryHistory() })
  c.register(TOKENS.factReader, { useValue: await nats.factReader() })
  c.register(TOKENS.webhookQueues, { useValue: await nats.webhookQueues() })
  c.register(TOKENS.webhookTargets, { useValue: outbound.targets })
  c.register(TOKENS.webhookSender, { useValue: outbound.sender })
  return async () => {
    eventInterest.stop()
    await outbound.sender.close()
  }
}

const WEI_PER_GWEI = 1e9
/** As nats-server counts them. */
const BYTES_PER_GB = 1024 ** 3

/** What writes to the escrow, with one signer a lane: only hosts that settle hold these keys. */
function openLanes(config: ActorsConfig, contracts: Contracts, log: Log) {
  const lock = openSigner({
    privateKey: config.LOCKER_PRIVATE_KEY,
    url: config.LOCKER_SIGNER_URL,
    address: config.LOCKER_ADDRESS,
  })
  const settle = openSigner({
    privateKey: config.SETTLER_PRIVATE_KEY,
    url: config.SETTLER_SIGNER_URL,
    address: config.SETTLER_ADDRESS,
  })
  const keys = { LOCKER: lock.signer.address, SETTLER: settle.signer.address }
  requireOwnAddresses(keys)
  const writer = makeEscrowWriter({
    rpcUrl: config.RPC_URL,
    contracts,
    signers: { lock: lock.signer, settle: settle.signer },
    log,
    terms: {
      maxFeeWei: BigInt(Math.round(config.CHAIN_MAX_FEE_GWEI * WEI_PER_GWEI)),
      stuckMs: config.CHAIN_STUCK_SECONDS * 1_000,
      gasPercent: config.CHAIN_GAS_PERCENT,
    },
  })
  return {
    writer,
    keys,
    close: async () => {
      await Promise.all([writer.close(), lock.close(), settle.close()])
    },
  }
}

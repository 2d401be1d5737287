import { noMetrics } from '../fakes/no-metrics.ts'
import 'reflect-metadata'
import { container, type InjectionToken } from 'tsyringe'
import { startActors } from '../../actors/compose.ts'
import { makeEventInterest } from '../../src/bus/buckets/event-interest.ts'
import { makeSettings } from '../../src/bus/buckets/settings.ts'
import type { ActorsConfig } from '../../src/config/schema.ts'
import type { Address } from '../../src/domain/ids.ts'
import type { WalletWebhooks } from '../../src/messages/webhook.ts'
import type { ModelReader } from '../../src/ports/catalogue.ts'
import type { EscrowReader, EscrowWriter } from '../../src/ports/escrow.ts'
import type { JobViews } from '../../src/ports/job-views.ts'
import type { KeeperReader, KeeperWriter } from '../../src/ports/keeper.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { Outputs } from '../../src/ports/outputs.ts'
import type { SetAsides } from '../../src/ports/set-asides.ts'
import { TOKENS } from '../../src/ports/tokens.ts'
import type { Vouchers } from '../../src/ports/vouchers.ts'
import type { WebhookSender, WebhookTargets } from '../../src/ports/webhook-sender.ts'
import { listenToGivenUp } from './auditor/given-up.ts'
import { connectHouse } from './nats/connect.ts'
import type { SimNats } from './nats/server.ts'
import { noFile } from './redis/connect.ts'
import type { Node } from './world.ts'

/** What a host reaches besides NATS, each bound to its node. */
export interface HostPorts {
  readonly ledger: Ledger
  readonly outputs: Outputs
  readonly jobViews: JobViews
  readonly setAsides: SetAsides
  readonly vouchers: Vouchers
  readonly escrowReader: EscrowReader
  readonly escrowWriter: EscrowWriter
  readonly modelReader: ModelReader
  readonly webhookSender: WebhookSender
  readonly webhookTargets: WebhookTargets
  /** Undefined: no keeper runs here. */
  readonly keeper?: { readonly reader: KeeperReader; readonly writer: KeeperWriter }
}

export interface HostPlace {
  readonly config: ActorsConfig
  readonly nats: SimNats
  readonly jobEscrow: Address
  readonly deployBlock: number
  readonly catalogueKey: string
  /** Unique to this process. */
  readonly hostId: string
}

export const newHostId = ({ clock }: Node): string =>
  `host-${Buffer.from(clock.randomBytes(4)).toString('hex')}`

/**
 * The actors host as it runs in production, on simulated ports. What its NATS adapters do is real: the
 * server behind them is simulated.
 */
export async function startHost(
  node: Node,
  ports: HostPorts,
  { config, nats: server, ...place }: HostPlace,
): Promise<{ stop(): Promise<void> }> {
  const { clock, log } = node
  const nats = await connectHouse(server, node)
  const { world } = server
  const voices = listenToGivenUp({ bus: nats.bus, ledger: ports.ledger }, (what) => {
    if (node.alive) world.fail(`${node.name} ${what}`)
  })
  const webhookMirror = await nats.mirror('WEBHOOKS', (value) => value as WalletWebhooks)
  const eventInterest = makeEventInterest({
    webhooks: webhookMirror,
    listeners: await nats.mirror('LISTENERS', () => clock.monotonic()),
    clock,
  })
  const c = container.createChildContainer()
  const bind = <T>(token: InjectionToken<T>, value: T) => c.register(token, { useValue: value })
  bind(TOKENS.log, log)
  bind(TOKENS.metrics, noMetrics)
  bind(TOKENS.clock, clock)
  bind(TOKENS.bus, voices.bus)
  bind(TOKENS.jobJournal, await nats.journal('JOB'))
  bind(TOKENS.jobReader, await nats.jobReader())
  bind(TOKENS.jobArchive, await nats.archive())
  bind(TOKENS.outbox, await nats.journal('TX'))
  bind(TOKENS.placements, await nats.registry('PARTS'))
  bind(TOKENS.cursors, await nats.registry('CURSORS'))
  bind(TOKENS.models, await nats.registry('MODELS'))
  bind(TOKENS.lowMarks, await nats.registry('LOW'))
  bind(TOKENS.webhooks, await nats.registry('WEBHOOKS'))
  bind(TOKENS.facts, await nats.facts())
  bind(TOKENS.factReader, await nats.factReader())
  bind(TOKENS.deliveryHistory, await nats.deliveryHistory())
  bind(TOKENS.webhookQueues, await nats.webhookQueues())
  bind(TOKENS.webhookMirror, webhookMirror)
  bind(TOKENS.eventInterest, eventInterest)
  bind(TOKENS.settings, makeSettings({ registry: await nats.registry('SETTINGS'), clock, log }))
  bind(TOKENS.jobViews, ports.jobViews)
  bind(TOKENS.ledger, voices.ledger)
  bind(TOKENS.outputs, ports.outputs)
  bind(TOKENS.storeFile, noFile)
  bind(TOKENS.setAsides, ports.setAsides)
  bind(TOKENS.vouchers, ports.vouchers)
  bind(TOKENS.escrowReader, ports.escrowReader)
  bind(TOKENS.escrowWriter, ports.escrowWriter)
  bind(TOKENS.modelReader, ports.modelReader)
  bind(TOKENS.webhookTargets, ports.webhookTargets)
  bind(TOKENS.webhookSender, ports.webhookSender)
  bind(TOKENS.keys, await nats.registry('KEYS'))
  bind(TOKENS.joins, await nats.registry('JOINS'))
  if (ports.keeper) {
    bind(TOKENS.wallets, await nats.registry('WALLETS'))
    bind(TOKENS.strikes, await nats.registry('STRIKES'))
    bind(TOKENS.keeperReader, ports.keeper.reader)
    bind(TOKENS.keeperWriter, ports.keeper.writer)
  }
  const close = async () => {
    eventInterest.stop()
    await nats.close()
  }
  return startActors(c, config, log, { ...place, close })
}

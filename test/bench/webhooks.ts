// What events cost on their way to webhooks: the delay from a fact to its first attempt, deliveries a
// second in one process, hanging endpoints beside healthy ones, and what kill -9 loses and repeats.
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectNats, type Nats } from '../../src/bus/connect.ts'
import { type Address, toAddress, toHex32 } from '../../src/domain/ids.ts'
import { type CreditTopup, factId } from '../../src/messages/fact.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { putWebhooks, webhookId, webhookRecord } from '../fakes/webhooks/deliverer.ts'
import { type DelivererChild, forkDeliverer } from '../fakes/webhooks/deliverer-child.ts'
import { type Receiver, startReceiver } from '../fakes/webhooks/receiver.ts'
import { type Server, startNats } from '../integration/servers.ts'
import { percentile } from './drive.ts'
import { cpuMsOfTree } from './resources.ts'

const SCHEDULE = [0, 30_000, 300_000, 1_800_000, 7_200_000]
/** A delivery that a kill interrupts is made again after an acknowledgement is missed. */
const PATIENCE_MS = 180_000
const WALLETS = 200
const KILLS = 20
const KILLED_EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000)

const log = makeLog('bench', process.env.LOG_LEVEL ?? 'error')
const results: Record<string, Readonly<Record<string, number>>> = {}
await delay()
await throughput()
await hanging()
await killing('deliverer')
await killing('nats')
console.table(results)
const file = process.env.BENCH_JSON
if (file) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)

interface House {
  readonly server: Server
  readonly nats: Nats
  readonly receiver: Receiver
  readonly wallets: readonly Address[]
  /** The path of a wallet's webhook. */
  pathOf(wallet: Address): string
}

/** A server and endpoints of their own, one webhook a wallet. */
async function house(wallets: number, use: (house: House) => Promise<void>): Promise<void> {
  const server = await startNats()
  const nats = await connectNats({ servers: server.url, name: 'bench', log })
  const receiver = await startReceiver()
  const pathOf = (wallet: Address) => `hook-${BigInt(wallet)}`
  const all = Array.from({ length: wallets }, (_, i) =>
    toAddress(`0x${(i + 1).toString(16).padStart(40, '0')}`),
  )
  const registry = await nats.registry('WEBHOOKS')
  for (const [i, wallet] of all.entries()) {
    const url = receiver.url(pathOf(wallet))
    await putWebhooks(registry, wallet, [webhookRecord(webhookId(i + 1), url, ['credit.topup'])])
  }
  try {
    await use({ server, nats, receiver, wallets: all, pathOf })
  } finally {
    await receiver.close()
    await nats.close()
    await server.stop()
  }
}

function topup(wallet: Address, place: number): CreditTopup {
  const tx = toHex32(`0x${'11'.repeat(32)}`)
  const balance = { credits_added: 100, credits_remaining: 100, usdg_value: 1 }
  const data = { ...balance, tx, block_number: 7 }
  const id = factId('credit.topup', { wallet, tx, place })
  return { id, type: 'credit.topup', wallet, at: systemClock.now(), data }
}

function walletOf({ wallets }: House, event: number): Address {
  return wallets[event % wallets.length]!
}

function received({ wallets, receiver, pathOf }: House) {
  return wallets.flatMap((wallet) => receiver.received(pathOf(wallet)))
}

async function untilReceived(house: House, count: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (new Set(received(house).map(({ eventId }) => eventId)).size < count) {
    if (performance.now() > deadline) return
    await sleep(200)
  }
}

/** From the moment a fact is told to that of its first attempt's arrival, at 200 events a second. */
async function delay(): Promise<void> {
  await house(WALLETS, async (house) => {
    const child = await forkDeliverer(house.server.url, SCHEDULE)
    const facts = await house.nats.facts()
    const told = new Map<string, number>()
    const events = 4_000
    const began = performance.now()
    for (let event = 0; event < events; event++) {
      const fact = topup(walletOf(house, event), event)
      const waitMs = began + event * 5 - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      told.set(fact.id, performance.now())
      void facts.publish(fact)
    }
    await untilReceived(house, events)
    await child.kill()
    // The first second is that of compilers and connections.
    const delays = received(house)
      .filter(({ eventId }) => told.get(eventId)! - began > 1_000)
      .map(({ eventId, at }) => at - told.get(eventId)!)
      .sort((a, b) => a - b)
    results['200 events a second: delay'] = {
      'p50 ms': round(percentile(delays, 0.5)),
      'p99 ms': round(percentile(delays, 0.99)),
      lost: events - new Set(received(house).map(({ eventId }) => eventId)).size,
    }
  })
}

/** A backlog, worked off by one process. */
async function throughput(): Promise<void> {
  await house(WALLETS, async (house) => {
    const facts = await house.nats.facts()
    const events = 10_000
    await inGroups(events, (event) => facts.publish(topup(walletOf(house, event), event)))
    const child = await forkDeliverer(house.server.url, SCHEDULE)
    const began = performance.now()
    const cpu = cpuMsOfTree(child.pid)
    await untilReceived(house, events)
    const seconds = (performance.now() - began) / 1_000
    results['one process, a backlog'] = {
      'deliveries a second': Math.round(events / seconds),
      'CPU ms a delivery': round((cpuMsOfTree(child.pid) - cpu) / events),
      lost: events - new Set(received(house).map(({ eventId }) => eventId)).size,
    }
    await child.kill()
  })
}

/** 1 000 healthy endpoints beside 100 that hang; each gets three events, the hanging ones first. */
async function hanging(): Promise<void> {
  await house(1_100, async (house) => {
    const facts = await house.nats.facts()
    const [sick, healthy] = [house.wallets.slice(0, 100), house.wallets.slice(100)]
    for (const wallet of sick) house.receiver.behave(house.pathOf(wallet), 'hang')
    const child = await forkDeliverer(house.server.url, SCHEDULE)
    const told = new Map<string, number>()
    const tell = async (wallets: readonly Address[], rounds: number) => {
      for (let place = 0; place < rounds; place++) {
        await inGroups(wallets.length, async (i) => {
          const fact = topup(wallets[i]!, place)
          told.set(fact.id, performance.now())
          await facts.publish(fact)
        })
      }
    }
    await tell(sick, 30)
    await tell(healthy, 3)
    const all = { ...house, wallets: healthy }
    await untilReceived(all, healthy.length * 3)
    await child.kill()
    const delays = received(all)
      .map(({ eventId, at }) => at - told.get(eventId)!)
      .sort((a, b) => a - b)
    results['1 000 healthy beside 100 that hang'] = {
      'p50 ms': round(percentile(delays, 0.5)),
      'p99 ms': round(percentile(delays, 0.99)),
      'longest ms': round(delays.at(-1) ?? 0),
      lost: healthy.length * 3 - new Set(received(all).map(({ eventId }) => eventId)).size,
    }
  })
}

/** Two deliverers; one process of this kind is killed again and again while events come. */
async function killing(kind: 'deliverer' | 'nats'): Promise<void> {
  await house(WALLETS, async (house) => {
    const facts = await house.nats.facts()
    const children: DelivererChild[] = []
    for (let i = 0; i < 2; i++) children.push(await forkDeliverer(house.server.url, SCHEDULE))
    const each = Math.ceil(KILLED_EVENTS / KILLS)
    for (let kill = 0; kill < KILLS; kill++) {
      const told = tell(house, facts, kill * each, each)
      // In the middle of them.
      await sleep(each)
      if (kind === 'nats') {
        await house.server.crash()
      } else {
        await children.shift()!.kill()
        children.push(await forkDeliverer(house.server.url, SCHEDULE))
      }
      await told
    }
    await untilReceived(house, KILLED_EVENTS)
    // What is still to be repeated comes by then.
    await sleep(20_000)
    for (const child of children) await child.kill()
    const ids = received(house).map(({ eventId }) => eventId)
    const distinct = new Set(ids).size
    results[`${KILLS} × kill -9 of ${kind}`] = {
      events: KILLED_EVENTS,
      lost: KILLED_EVENTS - distinct,
      duplicated: ids.length - distinct,
    }
  })
}

/** As whoever tells facts does: each until it is stored. Some 400 a second. */
async function tell(
  house: House,
  facts: Awaited<ReturnType<Nats['facts']>>,
  from: number,
  count: number,
): Promise<void> {
  await inGroups(count, async (i) => {
    const fact = topup(walletOf(house, from + i), from + i)
    if (i % 50 === 0) await sleep(120)
    for (;;) {
      const isStored = await facts.publish(fact).then(
        () => true,
        () => false,
      )
      if (isStored) return
      await sleep(50)
    }
  })
}

/** `count` calls, fifty at a time. */
async function inGroups(count: number, call: (i: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += 50) {
    const group = Array.from({ length: Math.min(50, count - from) }, (_, i) => call(from + i))
    await Promise.all(group)
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

import { connect } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSettings } from '../../../src/bus/buckets/settings.ts'
import { decode } from '../../../src/bus/codec.ts'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import {
  type CreditTopup,
  type Fact,
  factId,
  registeredId,
  type WorkerRegistered,
} from '../../../src/messages/fact.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { until } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'

const Facts = suite('facts and settings on a real nats-server')
let server: Server
let nats: Nats

const wallet = toAddress(`0x${'aa'.repeat(20)}`)
const other = toAddress(`0x${'bb'.repeat(20)}`)
const tx = toHex32(`0x${'11'.repeat(32)}`)
const log = makeLog('test', 'silent')
const topup = (place: number): CreditTopup => ({
  id: factId('credit.topup', { wallet, tx, place }),
  type: 'credit.topup',
  wallet,
  at: toUnixMs(1_800_000_000_000),
  data: {
    ...{ credits_added: 100, credits_remaining: 100, usdg_value: 1 },
    ...{ tx, block_number: 7 },
  },
})

Facts.before(async () => {
  server = await startNats()
  nats = await connectNats({ servers: server.url, name: 'test', log })
})
Facts.after(async () => {
  await nats?.close()
  await server?.stop()
})

Facts('a setting is heeded within seconds; what is unusable leaves the default', async () => {
  const registry = await nats.registry('SETTINGS')
  const clock = new ManualClock()
  const settings = makeSettings({ registry, clock, log })
  assert.equal(await settings.of(wallet), { lowThreshold: 100n })
  await registry.set(wallet, { low_threshold: 500 })
  await registry.set(other, { low_threshold: -1 })
  assert.equal(await settings.of(other), { lowThreshold: 100n })
  await clock.advance(5_000)
  assert.equal(await settings.of(wallet), { lowThreshold: 500n })
  await registry.set(wallet, { low_threshold: 0 })
  assert.equal(await settings.of(wallet), { lowThreshold: 500n }, 'believed for a while')
  await clock.advance(5_000)
  assert.equal(await settings.of(wallet), { lowThreshold: 0n })
})

Facts(
  'stored once, under wallet and type, and still there after a crash of the server',
  async () => {
    const facts = await nats.facts()
    await facts.publish(topup(0))
    await facts.publish(topup(0))
    await facts.publish(topup(1))
    await server.crash()
    const connection = await connect({ servers: server.url, waitOnFirstConnect: true })
    const jsm = await connection.jetstreamManager()
    const { state } = await jsm.streams.info('FACT')
    assert.is(state.messages, 2)
    const stored = await jsm.streams.getMessage('FACT', { seq: 1 })
    await connection.close()
    assert.is(stored.subject, `fact.${wallet}.credit_topup`)
    assert.equal(decode(stored.data) as Fact, topup(0))
    await until('the first connection to be back', () => nats.bus.connected)
  },
)

Facts('what happened to a worker is stored under the worker, apart from all wallets', async () => {
  const facts = await nats.facts()
  const fact: WorkerRegistered = {
    id: registeredId(other, 'a network'),
    type: 'worker.registered',
    worker: other,
    at: toUnixMs(1_800_000_000_000),
    data: { worker_address: other, models: ['a/b'], region: 'eu' },
  }
  await facts.publish(fact)
  await facts.publish(fact)
  const connection = await connect({ servers: server.url })
  const jsm = await connection.jetstreamManager()
  const { state } = await jsm.streams.info('FACT', { subjects_filter: 'fact.worker.>' })
  const stored = await jsm.streams.getMessage('FACT', { last_by_subj: 'fact.worker.*.*' })
  await connection.close()
  assert.equal(state.subjects, { [`fact.worker.${other}.worker_registered`]: 1 })
  assert.equal(decode(stored.data) as Fact, fact)
})

Facts.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type CatalogueFollower,
  makeCatalogueFollower,
} from '../../../actors/catalogue/follower.ts'
import { type WatchedCatalogue, watchCatalogue } from '../../../src/bus/buckets/catalogue.ts'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { type ChainConnection, connectChain } from '../../../src/chain/connect.ts'
import { LAUNCH_LINEUP, modelStatus } from '../../../src/domain/models.ts'
import { catalogueKey } from '../../../src/messages/catalogue.ts'
import type { ModelReader } from '../../../src/ports/catalogue.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { RegistryVoter } from '../../fakes/chain/registry-voter.ts'
import { until } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'

/** From the registry on a real chain, over a real bucket, to whoever asks for a model. */
const Catalogue = suite('catalogue')
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

const NEW = {
  id: 'new/model',
  publisher: 'new',
  parameters: '20B',
  contextWindow: 65_536,
  tier: 'pro',
} as const
const OLD = LAUNCH_LINEUP[3]!.id
const NOTICE_MS = 30 * 24 * 60 * 60 * 1_000

let server: Server
let chain: LocalChain
let voter: RegistryVoter
let nats: Nats
let connection: ChainConnection
let reader: ModelReader & { down: boolean }
let follower: CatalogueFollower
let catalogue: WatchedCatalogue

Catalogue.before(async () => {
  server = await startNats()
  chain = await startChain(1_000n)
  voter = new RegistryVoter(chain.rpc, chain.contracts)
  nats = await connectNats({ servers: server.url, name: 'test', log })
  connection = await connectChain({ rpcUrl: chain.rpcUrl, contracts: chain.contracts, log })
  reader = {
    down: false,
    models: async () => {
      if (reader.down) throw new ChainUnavailable('pulled out')
      return connection.models.models()
    },
  }
  follower = await makeFollower()
  catalogue = await watch()
  await follower.start()
})
Catalogue.after(async () => {
  await follower?.stop()
  catalogue?.stop()
  await connection?.close()
  await nats?.close()
  await Promise.all([chain?.stop(), server?.stop()])
})

const makeFollower = async () =>
  makeCatalogueFollower({
    models: reader,
    blocks: connection.reader,
    registry: await nats.registry('MODELS'),
    key: catalogueKey(chain.contracts),
    clock: systemClock,
    log,
  })
const watch = async (key = catalogueKey(chain.contracts)) =>
  watchCatalogue({
    registry: await nats.registry('MODELS'),
    key,
    bus: nats.bus,
    clock: systemClock,
    log,
  })
const heard = (what: string, holds: () => boolean) => until(what, holds)
const retiresAt = (id: string) => catalogue.find(id)?.retiresAt ?? null

Catalogue('what was deployed is the launch lineup, in its order', async () => {
  assert.not(catalogue.known, 'nothing was read yet')
  await heard('the first catalogue', () => catalogue.known)
  const plain = catalogue.all().map(({ listedAt, retiresAt, ...model }) => {
    assert.ok(Math.abs(listedAt - Date.now()) < 600_000, `${listedAt}`)
    assert.is(retiresAt, null)
    return model
  })
  assert.equal(plain, LAUNCH_LINEUP)
})

Catalogue('a catalogue that stays the same is written once', async () => {
  const registry = await nats.registry('MODELS')
  const before = await registry.get(catalogueKey(chain.contracts))
  const blocks = 3
  for (let i = 0; i < blocks; i++) {
    await chain.rpc.call('evm_mine', [])
    await new Promise((resolve) => setTimeout(resolve, 700))
  }
  assert.is((await registry.get(catalogueKey(chain.contracts)))?.revision, before?.revision)
})

Catalogue('a listing is heard, with the time of its block as its beginning', async () => {
  await voter.list(NEW)
  await heard('the new model', () => catalogue.find(NEW.id) !== undefined)
  const { listedAt, created, ...model } = catalogue.find(NEW.id)!
  assert.equal(model, { ...NEW, retiresAt: null })
  assert.is(created, listedAt / 1_000)
  assert.is(catalogue.all().at(-1)?.id, NEW.id)
})

Catalogue('a retirement is heard with its notice, and taken back', async () => {
  await voter.retire(OLD)
  await heard('the retirement', () => retiresAt(OLD) !== null)
  const inDays = (retiresAt(OLD)! - Date.now() - NOTICE_MS) / 86_400_000
  assert.ok(Math.abs(inDays) < 0.1, `30 days and ${inDays}`)
  assert.is(modelStatus(catalogue.find(OLD)!, systemClock.now()), 'retiring')
  await voter.cancelRetirement(OLD)
  await heard('the change of mind', () => retiresAt(OLD) === null)
})

Catalogue('what a reorg took back is taken back here', async () => {
  const snapshot = await chain.rpc.call('evm_snapshot', [])
  await voter.list({ ...NEW, id: 'fleeting/model' })
  await voter.retire(OLD)
  await heard('both', () => Boolean(catalogue.find('fleeting/model') && retiresAt(OLD) !== null))
  await chain.rpc.call('evm_revert', [snapshot])
  await heard('neither', () => !catalogue.find('fleeting/model') && retiresAt(OLD) === null)
  assert.ok(catalogue.find(NEW.id), 'what was before it stays')
})

Catalogue(
  'a chain that is down leaves the last catalogue in force, for newcomers too',
  async () => {
    reader.down = true
    await voter.retire(OLD)
    await follower.stop()
    follower = await makeFollower()
    await follower.start()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const newcomer = await watch()
    await until('the newcomer to hear it', () => newcomer.known)
    for (const each of [catalogue, newcomer]) {
      assert.is(each.all().length, LAUNCH_LINEUP.length + 1)
      assert.is(each.find(OLD)?.retiresAt, null)
    }
    reader.down = false
    await heard('what happened meanwhile', () => retiresAt(OLD) !== null)
    await until('the newcomer too', () => newcomer.find(OLD)?.retiresAt !== null)
    newcomer.stop()
  },
)

Catalogue(
  'NATS dies and comes back: the bucket is there, and changes are heard again',
  async () => {
    const changes: string[] = []
    const end = catalogue.onChange(() => changes.push('changed'))
    await server.crash()
    assert.ok(catalogue.find(OLD), 'what was heard is not forgotten')
    await until('NATS to be connected again', () => nats.bus.connected)
    const newcomer = await watch()
    await until('the bucket to be read', () => newcomer.known)
    newcomer.stop()
    await voter.cancelRetirement(OLD)
    await heard('a change after it', () => retiresAt(OLD) === null)
    end()
    assert.ok(changes.length > 0)
  },
)

Catalogue('a word of other contracts is no word at all', async () => {
  const other = await watch(catalogueKey({ ...chain.contracts, chainId: 1 }))
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.not(other.known)
  other.stop()
})

Catalogue('of two hosts that both think it is theirs, neither undoes a newer reading', async () => {
  const registry = await nats.registry('MODELS')
  const key = catalogueKey(chain.contracts)
  await follower.stop()
  // One has read the chain, and is about to write when another one has written.
  let go = () => {}
  const late = new Promise<void>((resolve) => {
    go = resolve
  })
  let read = 0
  const models: ModelReader = {
    models: async () => {
      const found = await connection.models.models()
      if (read++ === 0) await late
      return found
    },
  }
  const slow = makeCatalogueFollower({
    models,
    blocks: connection.reader,
    registry,
    key,
    clock: systemClock,
    log,
  })
  await slow.start()
  await until('the slow one to have read', () => read === 1)
  await voter.retire(OLD)
  follower = await makeFollower()
  await follower.start()
  await heard('the fast one', () => retiresAt(OLD) !== null)
  const { revision } = (await registry.get(key))!
  go()
  await until('the slow one to look again', () => read > 1)
  await slow.stop()
  assert.is((await registry.get(key))?.revision, revision)
})

Catalogue.run()

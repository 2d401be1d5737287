import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectChain } from '../../../src/chain/connect.ts'
import { type ClosableWriter, makeEscrowWriter } from '../../../src/chain/writer.ts'
import { makeJobId } from '../../../src/domain/ids.ts'
import { ChainUnavailable, LaneConflict, NonceGap } from '../../../src/ports/escrow.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { addressOf, KEYS, type LocalChain, SIGNERS, startChain } from '../../fakes/chain/anvil.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { included } from '../../fakes/chain/included.ts'
import { lock } from '../../fakes/chain/intents.ts'
import { until } from '../../until.ts'
import { freePort } from '../servers.ts'

const log = makeLog('test', process.env.TEST_LOG ?? 'silent')
const newLock = () =>
  lock(makeJobId(systemClock.now(), systemClock.randomBytes(16)), {
    wallet: addressOf(KEYS.wallet),
  })

let local: LocalChain
let writer: ClosableWriter

const Writer = suite('escrow writer on a real chain')

Writer.before(async () => {
  local = await startChain(10_000n)
  writer = makeEscrowWriter({
    ...{ rpcUrl: local.rpcUrl, contracts: local.contracts, log },
    signers: SIGNERS,
    terms: GAS_TERMS,
  })
})

Writer('a transaction is told as broadcast before any block holds it', async () => {
  await local.rpc.call('evm_setAutomine', [false])
  const nonce = await writer.nonce('lock')
  const transaction = await writer.sign('lock', nonce, { type: 'lock', items: [newLock()] })
  let broadcast = false
  let mined = false
  const sending = included(writer, 'lock', transaction, () => {
    broadcast = true
  })
  const receipt = sending.then((one) => {
    mined = true
    return one
  })
  await until('the broadcast', () => broadcast)
  assert.not.ok(mined)
  await local.rpc.call('evm_mine', [])
  await local.rpc.call('evm_setAutomine', [true])
  assert.is((await receipt).facts[0]?.type, 'locked')

  const again = await included(writer, 'lock', transaction)
  assert.equal(again, await receipt, 'the same bytes again are harmless')
})

Writer('a nonce that another transaction took is a conflict, one ahead is a gap', async () => {
  const nonce = await writer.nonce('lock')
  const sign = (at: number) => writer.sign('lock', at, { type: 'lock', items: [newLock()] })
  const [first, second, ahead] = [await sign(nonce), await sign(nonce), await sign(nonce + 2)]
  await included(writer, 'lock', first)
  const errorOf = (transaction: typeof first) =>
    included(writer, 'lock', transaction).then(
      () => undefined,
      (error: unknown) => error,
    )
  const [conflict, gap] = await Promise.all([errorOf(second), errorOf(ahead)])
  assert.instance(conflict, LaneConflict)
  assert.instance(gap, NonceGap)
})

Writer('a node that is not there is unavailable, not an error of another kind', async () => {
  const rpcUrl = `http://127.0.0.1:${await freePort()}`
  const nowhere = await connectChain({ rpcUrl, contracts: local.contracts, log })
  const error = await nowhere.reader.head().catch((one: unknown) => one)
  assert.instance(error, ChainUnavailable)
  await nowhere.close()
})

Writer('contracts of another chain are refused at once', async () => {
  const contracts = { ...local.contracts, chainId: 1 }
  const { rpcUrl } = local
  const error = await connectChain({ rpcUrl, contracts, log }).catch((one: unknown) => one)
  assert.match(String(error), /leads to chain 31337, but the contracts are on chain 1/)
})

Writer('contracts of another version are refused', async () => {
  const { rpcUrl, contracts } = local
  const older = { ...contracts, abiHash: '' }
  const error = await connectChain({ rpcUrl, contracts: older, log }).catch((one: unknown) => one)
  assert.match(String(error), /contracts of another version/)
})

Writer.after(async () => {
  await writer.close()
  await local.stop()
})

Writer.run()

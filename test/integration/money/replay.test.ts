import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeRpc } from '../../../src/chain/rpc/json-rpc.ts'
import { type ClosableWriter, makeEscrowWriter } from '../../../src/chain/writer.ts'
import { type JobId, makeJobId } from '../../../src/domain/ids.ts'
import type { Batch } from '../../../src/ports/escrow.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { addressOf, KEYS, type LocalChain, SIGNERS, startChain } from '../../fakes/chain/anvil.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { included } from '../../fakes/chain/included.ts'
import { lock } from '../../fakes/chain/intents.ts'
import { until } from '../../until.ts'
import { freePort } from '../servers.ts'

/** What a lane has signed, in the hands of somebody who sends it again, here or elsewhere. */
const Replay = suite('replay of a lane')

const ANVIL = fileURLToPath(new URL('../../../node_modules/.bin/anvil', import.meta.url))
const OTHER_CHAIN = 424_242
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

let local: LocalChain
let writer: ClosableWriter

Replay.before(async () => {
  local = await startChain(10_000n)
  const { rpcUrl, contracts } = local
  writer = makeEscrowWriter({ rpcUrl, contracts, signers: SIGNERS, log, terms: GAS_TERMS })
})
Replay.after(async () => {
  await writer?.close()
  await local?.stop()
})

const newJob = (): JobId => makeJobId(systemClock.now(), systemClock.randomBytes(16))
const lockOf = (jobId: JobId): Batch => ({
  type: 'lock',
  items: [lock(jobId, { wallet: addressOf(KEYS.wallet) })],
})

Replay('on a chain with another id: refused, whoever sends it', async () => {
  const { raw } = await writer.sign('lock', await writer.nonce('lock'), lockOf(newJob()))
  const port = await freePort()
  const other = spawn(ANVIL, ['--port', `${port}`, '--silent', '--chain-id', `${OTHER_CHAIN}`], {
    stdio: 'ignore',
  })
  const rpc = makeRpc(`http://127.0.0.1:${port}`)
  try {
    const id = () => rpc.call<string>('eth_chainId', []).catch(() => undefined)
    await until('the other chain', async () => Number(await id()) === OTHER_CHAIN)
    const said = await rpc.call('eth_sendRawTransaction', [raw]).catch((error: unknown) => error)
    assert.instance(said, Error)
    assert.match(String(said), /chain id/i)
    const sent = await rpc.call('eth_getTransactionCount', [addressOf(KEYS.lock), 'pending'])
    assert.is(sent, '0x0')
  } finally {
    await rpc.close()
    other.kill('SIGTERM')
    await new Promise((resolve) => other.once('exit', resolve))
  }
})

Replay('on its own chain: once, and its jobs once also in another transaction', async () => {
  const jobId = newJob()
  const signed = await writer.sign('lock', await writer.nonce('lock'), lockOf(jobId))
  const first = await included(writer, 'lock', signed)
  assert.is(first.facts[0]?.type, 'locked')
  const again = await local.rpc
    .call('eth_sendRawTransaction', [signed.raw])
    .then(() => 'taken', String)
  assert.not.equal(again, 'taken')

  const next = await writer.sign('lock', await writer.nonce('lock'), lockOf(jobId))
  const [fact] = (await included(writer, 'lock', next)).facts
  assert.is(fact?.type === 'skipped' && fact.reason, 'JobIdUsed')
})

Replay.run()

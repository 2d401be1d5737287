import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { claimDeployment, requireDeployment } from '../../../src/bus/buckets/one-deployment.ts'
import { connectNats, type NatsOfOwner } from '../../../src/bus/connect.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { type Server, startNats } from '../servers.ts'

/** Processes of one NATS: all of them must mean the same escrow. */
const Deployments = suite('one NATS is one deployment')

let server: Server
let nats: NatsOfOwner
Deployments.before(async () => {
  server = await startNats()
  nats = await connectNats({ servers: server.url, name: 'test', log: makeLog('test', 'silent') })
})
Deployments.after(async () => {
  await nats.close()
  await server.stop()
})

const of = (digit: string, chainId = 1) => ({
  chainId,
  jobEscrow: toAddress(`0x${digit.repeat(40)}`),
})

Deployments('the first host says which, and others come to it', async () => {
  const registry = await nats.registry('CURSORS')
  await Promise.all([1, 2, 3].map(() => claimDeployment(registry, of('a'))))
  await claimDeployment(registry, of('a'))
})

Deployments('another escrow, or another chain, ends a start and says what to set', async () => {
  const registry = await nats.registry('CURSORS')
  for (const other of [of('b'), of('a', 2)]) {
    const error = await claimDeployment(registry, other).catch((thrown: unknown) => thrown)
    assert.instance(error, OperatorError)
    assert.match((error as Error).message, `escrow is ${of('a').jobEscrow} on chain 1`)
    assert.match((error as Error).message, `${other.jobEscrow} on chain ${other.chainId}`)
    assert.match((error as Error).message, /CONTRACTS_FILE.*NATS_URL and REDIS_URL/)
  }
  await claimDeployment(registry, of('a'))
})

Deployments('who only reads is told the same, and starts where no host has been yet', async () => {
  const models = await nats.registry('MODELS')
  await requireDeployment(models, of('b'))
  await claimDeployment(models, of('a'))
  await requireDeployment(models, of('a'))
  for (const other of [of('b'), of('a', 2)]) {
    const error = await requireDeployment(models, other).catch((thrown: unknown) => thrown)
    assert.instance(error, OperatorError)
    assert.match((error as Error).message, `escrow is ${of('a').jobEscrow} on chain 1`)
  }
})

Deployments.run()

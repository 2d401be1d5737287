import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WorkerServiceService } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { PROTOCOLS } from '../../../src/domain/version.ts'
import { endCall, type WorkerCall } from '../../../src/pool/session/worker-call.ts'
import { Agent } from '../../../src/worker/agent.ts'
import { makeSampleEngine } from '../../../src/worker/engines/sample.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { whyNoJobs } from '../../../src/worker/status/why-no-jobs.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import { identity, log } from '../../fakes/pool/stage.ts'
import { pause, until } from '../../until.ts'

const Versions = suite('pool and worker: versions of the protocol')

const WAIT_MS = 15_000
const { min, max } = PROTOCOLS

Versions(
  'a worker that is too old, or newer than the pool, is told what to do',
  inHouse(async ({ rogue }) => {
    const told = async (protocol: number) => (await rogue(9, { protocol })).ended
    assert.equal(await told(min - 1), {
      code: 'FAILED_PRECONDITION',
      details: `version: protocol ${min - 1} is not spoken here, only ${min} to ${max}: update the agent`,
    })
    const newer = await told(max + 1)
    assert.is(newer?.code, 'FAILED_PRECONDITION')
    assert.match(newer!.details, 'this pool is older than the agent, dial another one')
    assert.is(await told(min), undefined)
  }),
)

Versions(
  'an agent speaks the highest version that both do',
  inHouse(async ({ stage, serve }) => {
    await serve()
    assert.is(stage.lastAgent().report().trouble, null)
    assert.equal(await met({ min, max: max + 5 }), max)
    assert.equal(await met({ min: min - 1, max: min }), min)
  }),
)

Versions(
  'an agent that no pool understands says "version", and dials once in a while',
  async () => {
    const pool = await pretend({ min: max + 1, max: max + 2 })
    const agent = agentOf(pool.port)
    const why = () => whyNoJobs(agent.report(), Date.now()) ?? ''
    try {
      await until('the reason', () => why().includes('version'), WAIT_MS)
      assert.match(why(), /not connected: version: .*update the older one.*FAILED_PRECONDITION/)
      await pause(3_000)
      assert.equal(pool.protocols, [max], 'dialled once')
    } finally {
      await agent.stop()
      pool.close()
    }
  },
)

/** What the agent answers to a pool of these versions. */
async function met(protocols: { min: number; max: number }): Promise<number | undefined> {
  const pool = await pretend(protocols)
  const agent = agentOf(pool.port)
  try {
    await until('a hello', () => pool.protocols.length > 0, WAIT_MS)
    return pool.protocols[0]
  } finally {
    await agent.stop()
    pool.close()
  }
}

function agentOf(port: number): Agent {
  const engine = makeSampleEngine({ models: LAUNCH_LINEUP, tokens: 5, tokenMs: 0 })
  const agent = new Agent({
    pools: async () => [{ target: `127.0.0.1:${port}`, tls: false }],
    ...{ identity: identity(1), signed: new SignedJobs(), engine, slots: 1, region: 'test', log },
  })
  agent.start()
  return agent
}

/** The door of a pool of another version: a challenge, and no for an answer. */
async function pretend(protocols: { readonly min: number; readonly max: number }) {
  const heard: number[] = []
  const server = new Server()
  const connect = (call: WorkerCall): void => {
    call.on('error', () => {})
    call.on('data', ({ message }) => {
      if (message?.$case !== 'hello') return
      heard.push(message.value.protocol)
      endCall(call, { code: status.FAILED_PRECONDITION, details: 'version: update the agent' })
    })
    const value = {
      nonce: Buffer.alloc(32, 1),
      chainId: 1,
      jobEscrow: Buffer.alloc(20, 1),
      workerStaking: Buffer.alloc(20, 2),
      protocolMin: protocols.min,
      protocolMax: protocols.max,
    }
    call.write({ message: { $case: 'challenge', value } })
  }
  server.addService(WorkerServiceService, { connect })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return { port, protocols: heard, close: () => server.forceShutdown() }
}

Versions.run()

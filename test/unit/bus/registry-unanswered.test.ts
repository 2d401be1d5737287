import { ErrorCode, type JetStreamClient, type KV, type NatsConnection, NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeRegistry } from '../../../src/bus/buckets/registry.ts'
import { type Registry, RegistryUnanswered } from '../../../src/ports/registry.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

/** A bucket of a NATS that hangs, has no leader or no room: whoever asks must be able to tell that from a fault. */
const Unanswered = suite('bucket that does not answer')

const fullDisk = () =>
  Object.assign(new NatsError('insufficient resources', ErrorCode.JetStreamNotEnabled), {
    api_error: { code: 503, err_code: 10_023, description: 'insufficient resources' },
  })

/** @param error of whatever is asked */
function registryOf(error: Error): Registry {
  const fail = async () => {
    throw error
  }
  const kv = { get: fail, create: fail, update: fail, put: fail, delete: fail } as unknown as KV
  const connection = { status: async function* () {} } as unknown as NatsConnection
  const js = {} as JetStreamClient
  const log = makeLog('test', 'silent')
  return makeRegistry({ bucket: 'NONCES', kv, js, connection, log })
}

const EACH: Readonly<Record<string, (registry: Registry) => Promise<unknown>>> = {
  get: (registry) => registry.get('key'),
  create: (registry) => registry.put('key', 1, 0),
  update: (registry) => registry.put('key', 1, 7),
  set: (registry) => registry.set('key', 1),
  delete: (registry) => registry.delete('key'),
}

const thrownBy = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'nothing',
    (error: unknown) => error,
  )

for (const [name, ask] of Object.entries(EACH)) {
  Unanswered(`${name}: says so, with what was heard as its cause`, async () => {
    const silence = new NatsError('TIMEOUT', ErrorCode.Timeout)
    for (const error of [silence, new NatsError('503', ErrorCode.NoResponders), fullDisk()]) {
      const thrown = await thrownBy(ask(registryOf(error)))
      assert.instance(thrown, RegistryUnanswered)
      assert.is((thrown as Error).cause, error)
      assert.match((thrown as Error).message, 'NONCES')
    }
  })

  Unanswered(`${name}: a fault of ours stays what it is`, async () => {
    const fault = new NatsError('BAD_PAYLOAD', ErrorCode.BadPayload)
    assert.is(await thrownBy(ask(registryOf(fault))), fault)
  })
}

Unanswered.run()

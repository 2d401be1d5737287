import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats } from '../../../src/bus/connect.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { storeApiKey } from '../../../src/network/data/api-key.ts'
import type { Keys } from '../../../src/network/data/keys.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { SOON_MS, until } from '../../until.ts'
import { type Server, startBareNats } from '../servers.ts'

const Without = suite('a nats-server without JetStream')

let server: Server

Without.before(async () => {
  server = await startBareNats()
})
Without.after(() => server?.stop())

Without('npm start says so at once', async () => {
  const why = await storeApiKey(server.url, {} as Keys).catch((error: unknown) => error)
  assert.instance(why, OperatorError)
  assert.match((why as Error).message, /runs without JetStream; start it with --jetstream/)
})

Without('a role waits for it, and its log says what is missing', async () => {
  const warned: string[] = []
  const warn = (_about: unknown, words: string) => warned.push(words)
  const log = Object.assign(Object.create(makeLog('test', 'silent')), { warn })
  const nats = await connectNats({ servers: server.url, name: 'test', log, replicas: 1 })
  // It waits for as long as it lives.
  void nats.registry('KEYS').catch(() => {})
  const missing = /not able to keep streams yet: .* without JetStream/
  const soFar = () => `no word of the missing JetStream, only ${JSON.stringify(warned)}`
  await until(soFar, () => warned.some((words) => missing.test(words)), SOON_MS).finally(() =>
    nats.close(),
  )
})

Without.run()

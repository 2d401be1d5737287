import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError, readConfig } from '../../../src/config/read.ts'
import { poolSchema } from '../../../src/config/schema.ts'
import { isLoopback } from '../../../src/domain/loopback.ts'
import { composePool } from '../../../src/pool/compose.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

const Tls = suite('pool TLS')

const log = makeLog('test', 'silent')
/** Where it starts at all, it fails at the address file that is not there. */
const why = async (env: Record<string, string>): Promise<unknown> => {
  const config = readConfig(poolSchema, { CONTRACTS_FILE: '/nowhere/contracts.json', ...env })
  return composePool(config, log).then(
    () => assert.unreachable('it started'),
    (error: unknown) => error,
  )
}

Tls('a pool that other machines can reach has TLS, or is told that it needs none', async () => {
  const open = await why({ POOL_HOST: '0.0.0.0' })
  assert.instance(open, ConfigError)
  assert.match((open as Error).message, 'POOL_TLS_CERT')
  assert.not.instance(await why({ POOL_HOST: '0.0.0.0', POOL_INSECURE: 'true' }), ConfigError)
  assert.not.instance(await why({ POOL_HOST: '127.0.0.1' }), ConfigError)
})

Tls('half of TLS is a mistake', async () => {
  const half = await why({ POOL_TLS_CERT: 'cert.pem' })
  assert.match((half as Error).message, 'both POOL_TLS_CERT and POOL_TLS_KEY')
})

Tls('only this machine is loopback', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST', '::1', '[::1]']) {
    assert.ok(isLoopback(host), host)
  }
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example', 'localhost.example', '']) {
    assert.not(isLoopback(host), host)
  }
})

Tls.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ALL_SETTINGS } from '../../../src/config/all.ts'
import { refuseMisspelt } from '../../../src/config/misspelt.ts'
import { ConfigError } from '../../../src/config/read.ts'

const Misspelt = suite('config: misspelt settings')

const refusal = (env: Record<string, string>): string => {
  try {
    refuseMisspelt(env)
    return ''
  } catch (error) {
    assert.instance(error, ConfigError)
    return (error as Error).message
  }
}

Misspelt('a setting that no role knows ends the start, with the nearest name', () => {
  assert.match(refusal({ EDGE_BRUST: '0' }), /EDGE_BRUST: .* did you mean EDGE_BURST\?/)
  assert.match(refusal({ POOL_WORKERS: '9' }), /POOL_WORKERS: .* did you mean POOL_WORKERS_MAX\?/)
  assert.match(refusal({ NAT_URL: 'nats://x' }), /NAT_URL: .* did you mean NATS_URL\?/)
  assert.match(refusal({ LOGLEVEL_: 'warn' }), /LOGLEVEL_: .* did you mean LOG_LEVEL\?/)
})

Misspelt('all of them are named at once', () => {
  const text = refusal({ EDGE_PROT: '1', KEEPER_KEY: '0x' })
  assert.match(text, /EDGE_PROT/)
  assert.match(text, /KEEPER_KEY/)
})

Misspelt('settings of every role pass in every role, and so does one that is left empty', () => {
  const all = ALL_SETTINGS.flatMap(({ shape }) => Object.keys(shape))
  assert.is(refusal(Object.fromEntries(all.map((name) => [name, 'x']))), '')
  assert.is(refusal({ EDGE_BRUST: '' }), '')
})

Misspelt("what belongs to others passes: the shell's, a CI's, a cluster's", () => {
  const others = {
    ...{ PATH: '/bin', HOME: '/root', NODE_ENV: 'production', TZ: 'UTC', npm_config_url: 'x' },
    ...{ JOB_NAME: 'build', WEB_CONCURRENCY: '2', CHAIN_ID: '1', REDIS_PASSWORD: 'x' },
    ...{ EDGE_SERVICE_HOST: '10.0.0.1', EDGE_SERVICE_PORT_HTTP: '80' },
    ...{ POOL_PORT_50051_TCP: 'tcp://10.0.0.1:50051', POOL_PORT_50051_TCP_ADDR: '10.0.0.1' },
  }
  assert.is(refusal(others), '')
})

Misspelt.run()

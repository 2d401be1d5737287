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
  assert.match(refusal({ WEB_RELAYER_KEY: '0x' }), /did you mean WEB_RELAYER_PRIVATE_KEY\?/)
  assert.match(refusal({ CHAIN_MAX_FEE: '9' }), /did you mean CHAIN_MAX_FEE_GWEI\?/)
  assert.match(refusal({ BATCH_ITEMS: '9' }), /did you mean BATCH_ITEMS_MAX\?/)
  assert.match(refusal({ MONITOR_HOST_NAME: 'x' }), /did you mean MONITOR_HOST\?/)
  assert.match(refusal({ NAT_URL: 'nats://x' }), /NAT_URL: .* did you mean NATS_URL\?/)
  assert.match(refusal({ NATS_RUL: 'nats://x' }), /NATS_RUL: .* did you mean NATS_URL\?/)
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
    ...{ BATCH_TASK_INDEX: '0', JOB_COMPLETION_INDEX: '0', NATS_CREDS: 'x', WEB_MEMORY: '512' },
    ...{
      MONITOR_PORT_9090_TCP: 'tcp://10.0.0.1:9090',
      CHAIN: 'mainnet',
      MONITOR: 'eDP-1',
      OTEL_SERVICE_NAME: 'x',
    },
    ...{ DB_HOST: 'db', DB_URL: 'x', APP_URL: 'x', API_URL: 'x', DATA_URL: 'x', WEB_ROOT: '/srv' },
    ...{ EDGE_SERVICE_HOST: '10.0.0.1', EDGE_SERVICE_PORT_HTTP: '80' },
    ...{ POOL_PORT_50051_TCP: 'tcp://10.0.0.1:50051', POOL_PORT_50051_TCP_ADDR: '10.0.0.1' },
  }
  assert.is(refusal(others), '')
})

Misspelt.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ALL_SETTINGS } from '../../../src/config/all.ts'
import { printedConfig } from '../../../src/config/print.ts'
import { actorsSchema, edgeSchema } from '../../../src/config/schema.ts'

const Print = suite('config: --print-config')

Print('every setting of every role stands there, with what it is for', () => {
  for (const schema of ALL_SETTINGS) {
    const text = printedConfig('a role', schema, {})
    for (const name of Object.keys(schema.shape)) {
      assert.match(text, new RegExp(`^# \\S.*\\n# ${name}=`, 'm'), name)
    }
  }
})

Print('a default is a comment; what is set is a line, and names the default', () => {
  assert.match(printedConfig('edge', edgeSchema, {}), /^# EDGE_PORT=8080$/m)
  const text = printedConfig('edge', edgeSchema, { EDGE_PORT: '9000', EDGE_BURST: '' })
  assert.match(text, /\(default: 8080\)\nEDGE_PORT=9000$/m)
  assert.match(text, /^# EDGE_BURST=200$/m)
})

Print('a default of nothing is not named: the words say what holds then', () => {
  const text = printedConfig('edge', edgeSchema, { EDGE_CORS_ORIGINS: 'https://app.example.com' })
  assert.match(text, /By default none\nEDGE_CORS_ORIGINS=https/)
})

Print('no secret is shown, nor the password in an address', () => {
  const secrets = {
    ...{ LOCKER_PRIVATE_KEY: '0xaa11', WITHDRAWAL_SIGNER_PRIVATE_KEY: '0xbb22' },
    ...{ WEBHOOK_SECRET_KEYS: 'cc33', REDIS_URL: 'redis://user:dd44@redis:6379' },
    ...{
      RPC_URL: 'https://name:ee55@rpc.example/v3/gg77',
      NATS_URL: 'nats://u:ff66@a:1,nats://u:ff66@b:1',
    },
  }
  const text = printedConfig('actors', actorsSchema, secrets)
  for (const secret of ['aa11', 'bb22', 'cc33', 'dd44', 'ee55', 'ff66', 'gg77']) {
    assert.not(text.includes(secret), secret)
  }
  assert.match(text, /^LOCKER_PRIVATE_KEY=\(set\)$/m)
  assert.match(text, /redis:6379$/m)
  assert.match(text, /^RPC_URL=https:\/\/.*rpc\.example\/\(set\)$/m)
})

Print('nor one that should have been percent-encoded, nor a key after a question mark', () => {
  for (const [name, value, shown] of [
    ['REDIS_URL', 'redis://edge:se@cr/et@redis:6379', 'redis://(set)@redis:6379'],
    ['NATS_URL', 'nats://edge:se/cr@et@a:1,nats://b:1', 'nats://(set)@a:1,nats://b:1'],
    ['NATS_URL', 'edge:secret@a:1,nats://b:1', '(set)@a:1,nats://b:1'],
    ['NATS_URL', 'nats://edge:se,cret@a:1,nats://b:1', 'nats://(set)@a:1,nats://b:1'],
    ['NATS_URL', 'edge:se,cret@a:1,b:1', '(set)@a:1,b:1'],
    ['REDIS_URL', ':secret@redis:6379', '(set)@redis:6379'],
    ['REDIS_URL', 'redis://redis:6379/0?password=secret', 'redis://redis:6379/0?(set)'],
    ['LOCKER_SIGNER_URL', 'https://signer.example/secret', 'https://signer.example/(set)'],
    ['LOCKER_SIGNER_URL', 'http://127.0.0.1:8550', 'http://127.0.0.1:8550'],
    ['RPC_URL', 'https://rpc.example?key=secret', 'https://rpc.example/(set)'],
    ['RPC_URL', 'https://rpc.example/', 'https://rpc.example/'],
  ] as const) {
    const text = printedConfig('actors', actorsSchema, { [name]: value })
    assert.ok(text.includes(`\n${name}=${shown}\n`), value)
  }
})

Print('a value of blanks is none, and blanks around one are no part of it', () => {
  const text = printedConfig('edge', edgeSchema, { EDGE_BURST: ' ', EDGE_PORT: '9000\r' })
  assert.match(text, /^# EDGE_BURST=200$/m)
  assert.match(text, /^EDGE_PORT=9000$/m)
})

Print.run()

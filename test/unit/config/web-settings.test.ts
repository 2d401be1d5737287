import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../../src/config/read.ts'
import { webSchema } from '../../../src/config/web-schema.ts'

const WebSettings = suite('settings of the web app')

const RPC = { WEB_RPC_URL: 'https://rpc.example' }

WebSettings('outside of development, browsers get an RPC of their own', () => {
  const secret = { RPC_URL: 'https://rpc.example/v2/secret-key' }
  assert.throws(() => readConfig(webSchema, secret), /WEB_RPC_URL: must be set/)
  assert.is(readConfig(webSchema, { ...secret, ...RPC }).WEB_RPC_URL, 'https://rpc.example')
  assert.is(readConfig(webSchema, { WEB_DEVELOPMENT: 'true' }).WEB_RPC_URL, undefined)
})

WebSettings('the address of the app is a scheme and a host, for sessions are bound to it', () => {
  for (const WEB_URL of ['https://app.example', 'http://127.0.0.1:8081', 'https://app.example/']) {
    const read = readConfig(webSchema, { ...RPC, WEB_URL }).WEB_URL
    assert.is(read, new URL(WEB_URL).origin)
  }
  for (const WEB_URL of [
    'https://app.example/app',
    'https://app.example:443',
    'app.example',
    'x',
  ]) {
    assert.throws(() => readConfig(webSchema, { ...RPC, WEB_URL }), /WEB_URL: /)
  }
})

WebSettings('test funds and the development wallet are off unless they are asked for', () => {
  const config = readConfig(webSchema, RPC)
  assert.is(config.WEB_DEVELOPMENT, false)
  assert.is(config.WEB_RELAYER_PRIVATE_KEY, undefined)
  assert.is(config.WEB_SESSION_HOURS, 12)
})

WebSettings.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError, readConfig } from '../../../src/config/read.ts'
import { actorsSchema } from '../../../src/config/schema.ts'

const Settings = suite('settings of webhooks')

const [locker, settler] = ['1', '2'].map((digit) => `0x${digit.repeat(64)}`)
const [OLD, NEW] = ['0a'.repeat(32), '0B'.repeat(32)]
const read = (env: Record<string, string>) =>
  readConfig(actorsSchema, { LOCKER_PRIVATE_KEY: locker!, SETTLER_PRIVATE_KEY: settler!, ...env })
const hexOf = (env: Record<string, string>) =>
  read(env).WEBHOOK_SECRET_KEYS?.map((key) => Buffer.from(key).toString('hex'))

Settings('one key or several, in order', () => {
  assert.is(hexOf({}), undefined)
  assert.equal(hexOf({ WEBHOOK_SECRET_KEYS: OLD }), [OLD])
  assert.equal(hexOf({ WEBHOOK_SECRET_KEYS: `${NEW}, ${OLD}` }), [NEW.toLowerCase(), OLD])
})

Settings('what is no key is refused without repeating it', () => {
  for (const keys of [OLD.slice(1), `${OLD}0`, `${OLD},`, `${OLD},nonsense`, `0x${OLD}`]) {
    try {
      read({ WEBHOOK_SECRET_KEYS: keys })
    } catch (error) {
      assert.instance(error, ConfigError)
      assert.match((error as Error).message, /WEBHOOK_SECRET_KEYS: must be 64 hexadecimal digits/)
      assert.not.match((error as Error).message, OLD.slice(2))
      continue
    }
    assert.unreachable(`${keys} was taken`)
  }
})

Settings('targets of development are off until they are switched on', () => {
  assert.is(read({}).WEBHOOK_DEV_TARGETS, false)
  assert.is(read({ WEBHOOK_DEV_TARGETS: 'true' }).WEBHOOK_DEV_TARGETS, true)
  assert.throws(() => read({ WEBHOOK_DEV_TARGETS: 'yes' }), /WEBHOOK_DEV_TARGETS/)
})

Settings('the schedule of attempts is a list of whole seconds', () => {
  assert.equal(read({}).WEBHOOK_RETRY_SECONDS, [0, 30, 300, 1_800, 7_200])
  assert.equal(read({ WEBHOOK_RETRY_SECONDS: '0, 1,2' }).WEBHOOK_RETRY_SECONDS, [0, 1, 2])
  for (const text of ['soon', '0,', '1.5', '-1', '0,99999999']) {
    assert.throws(() => read({ WEBHOOK_RETRY_SECONDS: text }), /WEBHOOK_RETRY_SECONDS/)
  }
})

Settings.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError, readConfig } from '../../../src/config/read.ts'
import { actorsSchema } from '../../../src/config/schema.ts'

const KEY = `0x${'1'.repeat(64)}`
const ADDRESS = `0x${'2'.repeat(40)}`
const URL = 'http://127.0.0.1:9000'
const keys = { LOCKER_PRIVATE_KEY: KEY, SETTLER_PRIVATE_KEY: KEY }
const problem = (env: Record<string, string>): string => {
  try {
    readConfig(actorsSchema, env)
    return ''
  } catch (error) {
    assert.instance(error, ConfigError)
    return (error as Error).message
  }
}

const Settings = suite('settings of the signers')

Settings('a key each, or a signer and its address each', () => {
  assert.is(problem(keys), '')
  const remote = { SETTLER_SIGNER_URL: URL, SETTLER_ADDRESS: ADDRESS }
  assert.is(problem({ LOCKER_PRIVATE_KEY: KEY, ...remote }), '')
})
Settings('neither: says what to set', () => {
  assert.match(
    problem({ SETTLER_PRIVATE_KEY: KEY }),
    /LOCKER_PRIVATE_KEY: must be set, or LOCKER_SIGNER_URL and LOCKER_ADDRESS/,
  )
})
Settings('a host without the lanes needs no key of theirs', () => {
  assert.is(problem({ ACTOR_KINDS: 'job,account' }), '')
  assert.match(problem({ ACTOR_KINDS: 'job,settlement' }), /SETTLER_PRIVATE_KEY: must be set/)
})
Settings('both: refused', () => {
  assert.match(
    problem({ ...keys, LOCKER_SIGNER_URL: URL, LOCKER_ADDRESS: ADDRESS }),
    /LOCKER_PRIVATE_KEY: must not be set beside LOCKER_SIGNER_URL/,
  )
})
Settings('a signer without its address, an address without its signer', () => {
  const { LOCKER_PRIVATE_KEY } = keys
  assert.match(
    problem({ LOCKER_PRIVATE_KEY, SETTLER_SIGNER_URL: URL }),
    /SETTLER_ADDRESS: must be set with SETTLER_SIGNER_URL/,
  )
  assert.match(
    problem({ ...keys, SETTLER_ADDRESS: ADDRESS }),
    /SETTLER_ADDRESS: goes with SETTLER_SIGNER_URL only/,
  )
})
Settings('a malformed one is named, and no key is ever quoted', () => {
  const secret = `0x${'9'.repeat(63)}`
  const message = problem({ ...keys, LOCKER_PRIVATE_KEY: secret })
  assert.match(message, /LOCKER_PRIVATE_KEY: must be 0x and 64 hexadecimal digits/)
  assert.not.ok(message.includes('999'))
  assert.match(problem({ LOCKER_SIGNER_URL: 'ftp://x' }), /LOCKER_SIGNER_URL: must be an http/)
})
Settings('fees and patience have defaults that an operator can change', () => {
  const config = readConfig(actorsSchema, { ...keys, CHAIN_MAX_FEE_GWEI: '0.05' })
  assert.is(config.CHAIN_MAX_FEE_GWEI, 0.05)
  assert.is(config.CHAIN_STUCK_SECONDS, 15)
  assert.match(problem({ ...keys, CHAIN_MAX_FEE_GWEI: '0' }), /CHAIN_MAX_FEE_GWEI/)
})

Settings.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError, readConfig } from '../../../src/config/read.ts'
import { actorsSchema } from '../../../src/config/schema.ts'

const KEY = `0x${'1'.repeat(64)}`
const ADDRESS = `0x${'2'.repeat(40)}`
const URL = 'http://127.0.0.1:9000'
const OTHER = `0x${'3'.repeat(64)}`
const keys = { LOCKER_PRIVATE_KEY: KEY, SETTLER_PRIVATE_KEY: OTHER }
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
Settings('one that no account can have is named', () => {
  const order = '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
  for (const none of [`0x${'0'.repeat(64)}`, order]) {
    for (const name of ['LOCKER_PRIVATE_KEY', 'WITHDRAWAL_SIGNER_PRIVATE_KEY']) {
      assert.match(problem({ ...keys, [name]: none }), `${name}: must be a key of secp256k1`)
    }
  }
})
Settings('two that send with one key: refused', () => {
  const upper = `0x${'A'.repeat(64)}`
  const lower = upper.toLowerCase()
  assert.match(
    problem({ LOCKER_PRIVATE_KEY: upper, SETTLER_PRIVATE_KEY: lower }),
    /SETTLER_PRIVATE_KEY: must be another than LOCKER_PRIVATE_KEY/,
  )
  assert.match(
    problem({ ...keys, KEEPER_PRIVATE_KEY: OTHER }),
    /KEEPER_PRIVATE_KEY: must be another than SETTLER_PRIVATE_KEY/,
  )
  const locker = { LOCKER_SIGNER_URL: URL, LOCKER_ADDRESS: ADDRESS }
  const settler = { SETTLER_SIGNER_URL: URL, SETTLER_ADDRESS: ADDRESS }
  assert.match(
    problem({ ...locker, ...settler }),
    /SETTLER_ADDRESS: must be another than LOCKER_ADDRESS/,
  )
})
Settings('fees and patience have defaults that an operator can change', () => {
  const config = readConfig(actorsSchema, { ...keys, CHAIN_MAX_FEE_GWEI: '0.05' })
  assert.is(config.CHAIN_MAX_FEE_GWEI, 0.05)
  assert.is(config.CHAIN_STUCK_SECONDS, 15)
  assert.match(problem({ ...keys, CHAIN_MAX_FEE_GWEI: '0' }), /CHAIN_MAX_FEE_GWEI/)
})

Settings.run()

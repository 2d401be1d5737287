import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assertSound, chooseSettings } from '../../../src/chain/deploy/choose.ts'
import { readCommand, USAGE, WrongUse } from '../../../src/chain/deploy/options.ts'
import { TERM_NAMES } from '../../../src/chain/deploy/settings.ts'
import { toAddress } from '../../../src/domain/ids.ts'

const Options = suite('deployment: what an operator asks for')

const KEY = `0x${'11'.repeat(32)}`
const env = { DEPLOYER_PRIVATE_KEY: KEY, RPC_URL: 'http://127.0.0.1:8545' }
const at = (digits: string) => toAddress(`0x${digits.repeat(20)}`)
const DEPLOYER = at('de')
const named = {
  ...{ token: at('01'), treasury: at('02'), locker: at('03'), settler: at('04') },
  ...{ withdrawalSigner: at('05'), pauser: at('06'), arbiter: at('07') },
}

const command = (args: readonly string[], given: Record<string, string> = env) => {
  const read = readCommand(args, given)
  if (read === 'help') throw new Error('that is the help')
  return read
}
function refusal(work: () => unknown): string {
  try {
    work()
    return 'no refusal'
  } catch (error) {
    assert.instance(error, WrongUse)
    return (error as Error).message
  }
}

Options('flags win over the environment, and an empty variable is none', () => {
  const given = { ...env, TREASURY_ADDRESS: at('aa'), THAW_SECONDS: '', EXPIRY_SECONDS: '240' }
  const read = command(['--treasury', at('bb')], given)
  assert.equal(read.given, { treasury: at('bb'), expirySeconds: '240' })
  assert.is(read.mode, 'deploy')
  assert.is(command(['--dry-run']).mode, 'dry-run')
})

Options('the key comes from the environment only, and verifying needs none', () => {
  const { RPC_URL } = env
  assert.match(
    refusal(() => command([], { RPC_URL })),
    /DEPLOYER_PRIVATE_KEY must be 0x and 64/,
  )
  assert.match(
    refusal(() => command(['--private-key', KEY])),
    /Unknown option '--private-key'/,
  )
  assert.is(command(['--verify'], { RPC_URL }).privateKey, undefined)
  const said = refusal(() => command([], { RPC_URL, DEPLOYER_PRIVATE_KEY: `${KEY}f00d` }))
  assert.not.match(said, /1111|f00d/, 'no part of a key is said')
})

Options('all that is wrong is said at once, by flag and variable', () => {
  const args = ['--arbiter', '0x12', '--thaw-seconds', '5', '--slash-bps', '1e3']
  const said = refusal(() => command([...args, '--chain-id', 'main'], {}))
  assert.match(said, /--arbiter \(ARBITER_ADDRESS\) must be 0x and 40 hexadecimal digits, not 0x12/)
  assert.match(said, /--thaw-seconds \(THAW_SECONDS\) must be a whole number from 60 to 86400/)
  assert.match(said, /--slash-bps \(SLASH_BPS\) must be a whole number from 1 to 10000/)
  assert.match(said, /--rpc-url \(RPC_URL\) must be/)
  assert.match(said, /--chain-id \(CHAIN_ID\) must be/)
})

Options('an address with a letter off is caught where it carries a checksum', () => {
  const right = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  assert.is(command(['--pauser', right]).given.pauser, right.toLowerCase())
  const wrong = right.replace('BeAed', 'BeAeD')
  assert.match(
    refusal(() => command(['--pauser', wrong])),
    /--pauser .* has a wrong checksum/,
  )
  const zero = `0x${'00'.repeat(20)}`
  assert.match(
    refusal(() => command(['--pauser', zero])),
    /--pauser .* must not be zero/,
  )
})

Options('a token that is worth nothing has to be asked for', () => {
  assert.is(command(['--development-token']).given.token, 'development')
  const both = ['--development-token', '--token', at('01')]
  assert.match(
    refusal(() => command(both)),
    /name one of them/,
  )
  const { token: _, ...others } = named
  assert.match(
    refusal(() => chooseSettings(others)),
    /name also --token \(or --development-token\)/,
  )
})

Options('what was named once need not be named again', () => {
  const before = { ...named, thawSeconds: '600' }
  const settings = chooseSettings({ arbiter: at('77') }, before)
  assert.is(settings.arbiter, at('77'))
  assert.is(settings.treasury, named.treasury)
  assert.is(settings.terms.thawSeconds, 600n)
  assert.is(settings.terms.expirySeconds, 180n)
  assert.is(settings.admin, 'timelock')
  assert.match(
    refusal(() => chooseSettings({})),
    /name also .*--treasury, --locker, --settler/,
  )
})

Options('settings that defeat each other are refused', () => {
  const faultOf = (other: Record<string, string>) =>
    refusal(() => assertSound(chooseSettings({ ...named, ...other }), DEPLOYER))
  assert.is(faultOf({}), 'no refusal')
  assert.match(faultOf({ settler: named.locker }), /--locker and --settler must differ/)
  assert.match(faultOf({ arbiter: named.settler }), /--arbiter must be nobody who runs or earns/)
  assert.match(faultOf({ arbiter: named.treasury }), /--arbiter must be nobody who runs or earns/)
  assert.match(faultOf({ withdrawalSigner: named.locker }), /--withdrawal-signer must be a key of/)
  assert.match(faultOf({ admin: DEPLOYER }), /--admin must not be the deployer/)
  assert.match(faultOf({ pauser: DEPLOYER }), /--pauser must not be the deployer/)
  assert.is(faultOf({ admin: DEPLOYER, token: 'development' }), 'no refusal')
  const slow = { votingPeriodSeconds: `${28 * 86_400}` }
  assert.match(faultOf(slow), /--notice-seconds must be more than 2678400/)
  const few = { computeSupply: '1000000', proposalThreshold: '2000000' }
  assert.match(faultOf(few), /--proposal-threshold must not be more than --compute-supply/)
})

Options('whom governance has named since is told to the check, and to nothing else', () => {
  const [one, two] = [at('a1'), at('a2')]
  const lists = ['--lister', one, '--lister', two.toUpperCase().replace('0X', '0x')]
  assert.equal(command(['--verify', ...lists, '--slasher', one]).later, {
    lister: [one, two],
    slasher: [one],
  })
  assert.equal(command(['--verify']).later, {})
  assert.match(
    refusal(() => command(['--lister', one])),
    /--lister and --slasher go with --verify/,
  )
  assert.match(
    refusal(() => command(['--verify', '--slasher', one, '--slasher', '0x12'])),
    /--slasher must be 0x and 40 hexadecimal digits, not 0x12/,
  )
})

Options('help names every setting', () => {
  assert.is(readCommand(['--help'], {}), 'help')
  for (const name of TERM_NAMES) {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} `
    assert.ok(USAGE.includes(flag), flag)
  }
})

Options.run()

import type { Address } from '../../domain/ids.ts'
import { flagOf, WrongUse } from './options.ts'
import {
  defaultTerms,
  HOLDER_NAMES,
  type Settings,
  type SettingsText,
  settingsOf,
  TERM_NAMES,
} from './settings.ts'

/**
 * All settings: those named now, else those of the deployment that was begun, else the defaults.
 * @throws {WrongUse} naming those that have no default and were never named
 */
export function chooseSettings(given: SettingsText, before: SettingsText = {}): Settings {
  const terms = defaultTerms()
  const all: SettingsText = {
    ...Object.fromEntries(TERM_NAMES.map((name) => [name, `${terms[name]}`])),
    ...{ admin: 'timelock', governance: 'timelock' },
    ...before,
    ...given,
  }
  const missing = ['token', ...HOLDER_NAMES].filter((name) => all[name] === undefined)
  if (missing.length === 0) return settingsOf(all)
  const flags = missing.map((name) =>
    name === 'token' ? '--token (or --development-token)' : flagOf(name),
  )
  throw new WrongUse(`name also ${flags.join(', ')}\n--help tells more`)
}

/**
 * Whether the settings make sense together.
 * @throws {WrongUse} naming all that is wrong
 */
export function assertSound(settings: Settings, deployer: Address): void {
  const faults = [
    ...faultsOfHolders(settings),
    ...faultsOfDeployer(settings, deployer),
    ...faultsOfVotes(settings),
  ]
  if (faults.length > 0) throw new WrongUse(faults.join('\n'))
}

function faultsOfHolders({ locker, settler, arbiter, treasury, withdrawalSigner }: Settings) {
  const faults: string[] = []
  if (locker === settler) {
    faults.push('--locker and --settler must differ: each key numbers its own transactions')
  }
  if ([locker, settler, treasury].includes(arbiter)) {
    faults.push('--arbiter must be nobody who runs or earns by jobs: no locker, settler, treasury')
  }
  if ([locker, settler].includes(withdrawalSigner)) {
    faults.push('--withdrawal-signer must be a key of its own: it agrees to withdrawals')
  }
  return faults
}

/** Its key was on the machine that deployed, and is not needed any more. */
function faultsOfDeployer(settings: Settings, deployer: Address): string[] {
  if (settings.token === 'development') return []
  const names = [...HOLDER_NAMES, 'admin', 'governance'] as const
  return names
    .filter((name) => settings[name] === deployer)
    .map(
      (name) => `${flagOf(name)} must not be the deployer: its key should rule nothing afterwards`,
    )
}

function faultsOfVotes({ terms }: Settings): string[] {
  const faults: string[] = []
  const vote = terms.votingDelaySeconds + terms.votingPeriodSeconds + terms.timelockSeconds
  if (vote >= terms.noticeSeconds) {
    faults.push(
      `--notice-seconds must be more than ${vote}, which a vote with its timelock takes: or no ` +
        'second vote could take a retirement back',
    )
  }
  if (terms.proposalThreshold > terms.computeSupply) {
    faults.push('--proposal-threshold must not be more than --compute-supply')
  }
  return faults
}

import type { InjectionToken } from 'tsyringe'
import type { Log } from '../telemetry/log.ts'
import type { Bus } from './bus.ts'
import type { Clock } from './clock.ts'
import type { EscrowReader, EscrowWriter } from './escrow.ts'
import type { Journal } from './journal.ts'
import type { Ledger, Outputs } from './ledger.ts'
import type { Registry } from './registry.ts'

/**
 * What a process is composed of, by name. Each `compose.ts` registers the real adapters under these
 * tokens; a test registers others.
 */
export const TOKENS = {
  log: Symbol('log') as InjectionToken<Log>,
  clock: Symbol('clock') as InjectionToken<Clock>,
  bus: Symbol('bus') as InjectionToken<Bus>,
  ledger: Symbol('ledger') as InjectionToken<Ledger>,
  outputs: Symbol('outputs') as InjectionToken<Outputs>,
  jobJournal: Symbol('jobJournal') as InjectionToken<Journal>,
  outbox: Symbol('outbox') as InjectionToken<Journal>,
  keys: Symbol('keys') as InjectionToken<Registry>,
  placements: Symbol('placements') as InjectionToken<Registry>,
  cursors: Symbol('cursors') as InjectionToken<Registry>,
  escrowReader: Symbol('escrowReader') as InjectionToken<EscrowReader>,
  escrowWriter: Symbol('escrowWriter') as InjectionToken<EscrowWriter>,
}

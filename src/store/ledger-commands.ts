import type { Redis, Result } from 'ioredis'
import { luaSource } from './lua-source.ts'

/** A script of `lua/`, with the lines that all of the ledger's begin with. */
export const ledgerScript = (name: string): string => luaSource('ledger', name)

/** What became of it, a number of credits or a job, and credits on their way back. */
export type ToldReservation = [type: string, told: string, returning?: string]

declare module 'ioredis' {
  interface RedisCommander<Context> {
    ledgerReserve(...args: string[]): Result<ToldReservation, Context>
    ledgerReserveJoinable(...args: string[]): Result<ToldReservation, Context>
    ledgerRelease(...args: string[]): Result<number, Context>
    ledgerReleaseJoinable(...args: string[]): Result<number, Context>
    ledgerBalance(...args: string[]): Result<[string, string, string] | [], Context>
    ledgerAccountFor(...args: string[]): Result<[string] | [], Context>
    ledgerLoad(...args: string[]): Result<'loaded' | 'stale', Context>
    ledgerApply(...args: string[]): Result<string[], Context>
  }
}

/** The scripts by which a wallet's money changes, as commands. Those that may join a job name one more key. */
export function defineLedgerCommands(redis: Redis): void {
  redis.defineCommand('ledgerReserve', { numberOfKeys: 3, lua: ledgerScript('reserve') })
  redis.defineCommand('ledgerReserveJoinable', { numberOfKeys: 4, lua: ledgerScript('reserve') })
  redis.defineCommand('ledgerRelease', { numberOfKeys: 3, lua: ledgerScript('release') })
  redis.defineCommand('ledgerReleaseJoinable', { numberOfKeys: 4, lua: ledgerScript('release') })
  redis.defineCommand('ledgerBalance', { numberOfKeys: 2, lua: ledgerScript('balance') })
  redis.defineCommand('ledgerAccountFor', { numberOfKeys: 2, lua: ledgerScript('account-for') })
  redis.defineCommand('ledgerLoad', { numberOfKeys: 2, lua: ledgerScript('load') })
  redis.defineCommand('ledgerApply', { numberOfKeys: 2, lua: ledgerScript('apply') })
}

import type { DependencyContainer } from 'tsyringe'
import type { ActorsConfig } from '../src/config/schema.ts'
import { toCredits } from '../src/domain/credits.ts'
import type { Address } from '../src/domain/ids.ts'
import { TOKENS } from '../src/ports/tokens.ts'
import type { ResourceKind } from '../src/runtime/ownership.ts'
import { single } from './compose-single.ts'
import { makeKeeper } from './keeper/keeper.ts'

/** Without a key of its own there is none. */
export function keeper(
  c: DependencyContainer,
  config: ActorsConfig,
  { deployBlock, jobEscrow }: { readonly deployBlock: number; readonly jobEscrow: Address },
): ResourceKind[] {
  const log = c.resolve(TOKENS.log)
  if (!config.KEEPER_PRIVATE_KEY) {
    log.warn(
      'keeper: KEEPER_PRIVATE_KEY is not set, so this host gives no forgotten lock back, ends no ' +
        'lock anew whose end a reorg has undone, sweeps no deposit address, pays out no earnings ' +
        'and sends no proof of a worker that lied; set it to a key with some coin for gas',
    )
    return []
  }
  return [
    single('keeper', 'keeper', () =>
      makeKeeper({
        reader: c.resolve(TOKENS.keeperReader),
        writer: c.resolve(TOKENS.keeperWriter),
        bus: c.resolve(TOKENS.bus),
        registries: {
          cursors: c.resolve(TOKENS.cursors),
          keys: c.resolve(TOKENS.keys),
          wallets: c.resolve(TOKENS.wallets),
          strikes: c.resolve(TOKENS.strikes),
        },
        clock: c.resolve(TOKENS.clock),
        log,
        onBlock: c.resolve(TOKENS.escrowReader).onBlock,
        confirmations: config.CHAIN_CONFIRMATIONS,
        deployBlock,
        jobEscrow,
        claimMinimum: toCredits(config.KEEPER_CLAIM_MIN_CREDITS),
        feeCeilingWei: gweiToWei(config.KEEPER_MAX_FEE_GWEI),
        claimFeeCeilingWei: gweiToWei(config.KEEPER_CLAIM_MAX_FEE_GWEI),
      }),
    ),
  ]
}

const gweiToWei = (gwei: number): bigint => BigInt(Math.round(gwei * 1e9))

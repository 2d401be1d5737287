import { nameOf } from '../../src/audit/books/difference.ts'
import { look } from '../../src/audit/books/look.ts'
import { lookTwice } from '../../src/audit/books/look-twice.ts'
import { connectChain } from '../../src/audit/chain/connect.ts'
import { findWhere } from '../../src/audit/where.ts'
import { runOn } from '../network/command.ts'
import type { Network } from '../network/network.ts'
import { pause } from '../until.ts'

const PATIENCE_MS = 60_000
const PAUSE_MS = 500
const SHOWN = 20

/**
 * What `npm run audit` does, in this process: on a loaded machine the start of another one takes longer
 * than the audit. The command itself runs once at the end of each network.
 * @returns the differences, by name
 */
export async function auditFlaws({ dataDir, nats_url, redis_url }: Network): Promise<string[]> {
  try {
    const where = findWhere({ rpc: undefined, contracts: undefined, dataDir })
    const chain = await connectChain(where)
    const { standing } = await lookTwice({
      look: () => look({ chain, natsUrl: nats_url, redisUrl: redis_url }),
      patienceMs: PATIENCE_MS,
      pauseMs: PAUSE_MS,
      now: () => performance.now(),
      pause,
    })
    const named = standing.slice(0, SHOWN).map((each) => `audit: ${nameOf(each)}`)
    return standing.length > SHOWN ? [...named, `audit: ${standing.length} in all`] : named
  } catch (error) {
    return [`the audit failed: ${String(error)}`]
  }
}

/** The command, as an operator runs it. */
export async function auditCommandFlaws(network: Network): Promise<string[]> {
  const { code, out, err } = await runOn(network, 'audit', [])
  if (code === 0) return []
  const named = out.split('\n').filter((line) => line.startsWith('✗'))
  return [`npm run audit ended with ${code}: ${err}`, ...named.slice(0, SHOWN)]
}

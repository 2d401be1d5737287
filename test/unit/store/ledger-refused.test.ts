import type { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { makeJobId, toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { makeLedger } from '../../../src/store/ledger.ts'

/** Redis looks at its memory before each command: of two that come together it may refuse one. */
const Refused = suite('the ledger, where Redis refuses one of two commands')
const wallet = toAddress(`0x${'11'.repeat(20)}`)
const jobId = makeJobId(toUnixMs(1_800_000_000_000), new Uint8Array(16))
const at = toUnixMs(1_800_000_000_000)
const oom = async () => {
  throw new Error("OOM command not allowed when used memory > 'maxmemory'.")
}

/** Says what it was told to do, and does as `some` say. */
function fakeRedis(some: Partial<Record<string, () => Promise<unknown>>>) {
  const done: string[] = []
  const does = (name: string) => async () => {
    const reply = await (some[name] ?? (async () => 1))()
    done.push(name)
    return reply
  }
  const names = ['zadd', 'zrem', 'ledgerReserve', 'ledgerReserveJoinable']
  const commands = [...names, 'ledgerRelease', 'ledgerReleaseJoinable']
  const redis = Object.fromEntries(commands.map((name) => [name, does(name)]))
  const ledger = makeLedger({ ...redis, defineCommand: () => {} } as unknown as Redis, async () => {
    return 'life'
  })
  return { done, ledger }
}
const reserved = async () => ['reserved', '92']
const asked = { wallet, jobId, credits: toCredits(8), at }
const join = { key: 'k', bodyDigest: 'd', replaces: undefined, ttlMs: 1_000 }

async function refusalOf(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => 'none',
    ({ message }: Error) => message,
  )
}

Refused('a reservation that no sweeper would find is given back', async () => {
  const { done, ledger } = fakeRedis({ zadd: oom, ledgerReserve: reserved })
  assert.match(await refusalOf(ledger.reserve(asked)), /^OOM/)
  assert.equal(done, ['ledgerReserve', 'ledgerRelease'])
})

Refused('and its join key with it', async () => {
  const { done, ledger } = fakeRedis({ zadd: oom, ledgerReserveJoinable: reserved })
  assert.match(await refusalOf(ledger.reserve({ ...asked, join })), /^OOM/)
  assert.equal(done, ['ledgerReserveJoinable', 'ledgerReleaseJoinable'])
})

Refused('where nothing was reserved, nothing is given back', async () => {
  const { done, ledger } = fakeRedis({ zadd: oom, ledgerReserve: async () => ['unknown', '0'] })
  assert.match(await refusalOf(ledger.reserve(asked)), /^OOM/)
  assert.equal(done, ['ledgerReserve'])
})

Refused('what is not released stays where the sweeper looks', async () => {
  const { done, ledger } = fakeRedis({ ledgerRelease: oom })
  assert.match(await refusalOf(ledger.release(wallet, jobId)), /^OOM/)
  assert.equal(done, [])
})

Refused('what is released does not', async () => {
  const { done, ledger } = fakeRedis({})
  await ledger.release(wallet, jobId)
  assert.equal(done, ['ledgerRelease', 'zrem'])
})

Refused.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type TokenUnits, toCredits } from '../../../src/domain/credits.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import type { WalletReader } from '../../../src/ports/web-chain.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import type { WebAccount } from '../../../src/web/api.ts'
import { account } from '../../../src/web/routes/account.ts'
import { jobAt, OWNER, viewOf } from '../../fakes/jobs/views.ts'
import { signedInServer } from '../../fakes/web/signed-in-server.ts'

/** What a wallet is told of its credits, whatever the chain says. */
const Account = suite('account without the chain')

const HOUR_MS = 3_600_000
const OPENED_AT = toUnixMs(1_900_000_000_000)
const down = async () => {
  throw new ChainUnavailable('down')
}
const silent = () => new Promise<never>(() => {})
// What is patient for seconds waits for none of them here.
const clock = {
  ...systemClock,
  after: (_span: number, call: () => void) => systemClock.after(1, call),
}

async function ask(chain: Partial<WalletReader>) {
  const reader = {
    thawing: async () => ({ credits: toCredits(30), endsAt: OPENED_AT }),
    depositAddress: () => OWNER,
    tokensOf: async () => 70_000n as TokenUnits,
    disputedAt: async () => OPENED_AT,
    ...chain,
  } as unknown as WalletReader
  const balance = { remaining: toCredits(120), lastTopupAt: null }
  const disputed = [viewOf(jobAt(1), 'disputed', { charged: toCredits(8) })]
  const list = async ({ status }: { readonly status?: string }) => ({
    jobs: status === 'disputed' ? disputed : [],
    hasMore: false,
  })
  const server = signedInServer()
  account(server, {
    balances: { read: async () => balance, held: async () => [] } as never,
    history: { list } as never,
    ...{ reader, jobWindowMs: 120_000, clock, log: makeLog('web', 'silent') },
  })
  const answer = await server.inject('/api/account')
  assert.is(answer.statusCode, 200, answer.body)
  return JSON.parse(answer.body) as WebAccount
}

Account('with it: all of it', async () => {
  const told = await ask({})
  assert.is(told.credits_remaining, 120)
  assert.equal(told.thawing, { credits: 30, ends_at: new Date(OPENED_AT).toISOString() })
  assert.is(told.arriving_credits, 7)
  const endsAt = new Date(OPENED_AT + 24 * HOUR_MS).toISOString()
  assert.is(told.disputed.jobs[0]?.ends_at, endsAt)
})

for (const [how, question] of Object.entries({ refuses: down, 'is silent': silent })) {
  Account(`it ${how}: what is known is told, and what is not as that`, async () => {
    const told = await ask({ thawing: question, tokensOf: question, disputedAt: question })
    assert.is(told.credits_remaining, 120)
    assert.is(told.disputed.credits, 8)
    assert.is(told.disputed.jobs[0]?.ends_at, null)
    assert.equal([told.thawing, told.arriving_credits], [null, null])
  })
}

Account('one part of it is missing: the others are told', async () => {
  const told = await ask({ tokensOf: down })
  assert.is(told.thawing?.credits, 30)
  assert.is(told.arriving_credits, null)
})

Account.run()

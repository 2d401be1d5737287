import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import type { Chain } from '../../../src/worker/chain/chain.ts'
import { Sender } from '../../../src/worker/chain/send.ts'
import { keyOf } from '../../../src/worker/key/open-key.ts'

const Permit = suite('worker: the permit that a stake brings along')

const HOUR = 3_600
const here = () => Math.floor(Date.now() / 1_000)

/** Until when it is good, where the newest block is of `timestamp`. Unix seconds. */
async function deadlineAt(timestamp: number): Promise<number> {
  let deadline = 0n
  const client = {
    readContract: async ({ functionName }: { functionName: string }) =>
      ({ TOKEN: `0x${'3'.repeat(40)}`, name: 'RCompute', nonces: 0n })[functionName],
    getBlock: async () => ({ timestamp: BigInt(timestamp) }),
    getBalance: async () => 1n,
    simulateContract: async ({ args }: { args: readonly [number, bigint, bigint] }) => {
      deadline = args[2]
      throw new Error('that is all')
    },
  }
  const contracts = {
    chainId: 1,
    jobEscrow: toAddress(`0x${'1'.repeat(40)}`),
    workerStaking: toAddress(`0x${'2'.repeat(40)}`),
  }
  const chain = { client, contracts } as unknown as Chain
  const sender = new Sender(chain, keyOf(Buffer.alloc(32, 7)))
  await sender.stake(1, 10n).catch(() => {})
  return Number(deadline)
}

Permit('a machine whose clock is behind the chain’s signs none that has run out', async () => {
  const ahead = here() + 5 * HOUR
  assert.is(await deadlineAt(ahead), ahead + HOUR)
})

Permit('nor does one whose chain has had no block for a while', async () => {
  const from = here()
  assert.ok((await deadlineAt(from - 5 * HOUR)) >= from + HOUR)
})

Permit.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError } from '../../../src/config/read.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import type { Chain } from '../../../src/worker/chain/chain.ts'
import { readFactsOfAny } from '../../../src/worker/chain/worker-facts.ts'

/** A worker whose number the contract no longer gives. */
const Left = suite('a worker that has left')

const WORKER = toAddress(`0x${'7'.repeat(40)}`)
const STAKING = toAddress(`0x${'5'.repeat(40)}`)

const chainWith = (logs: () => Promise<unknown[]>): Chain =>
  ({
    contracts: { chainId: 1, jobEscrow: STAKING, workerStaking: STAKING },
    client: { readContract: async () => 0, getContractEvents: logs },
  }) as unknown as Chain

Left('a key that never was one is no worker', async () => {
  assert.is(
    await readFactsOfAny(
      chainWith(async () => []),
      WORKER,
    ),
    undefined,
  )
})

Left('a node that does not search the logs is named, with the other way', async () => {
  const refusing = chainWith(async () => {
    throw new Error('block range too wide')
  })
  await readFactsOfAny(refusing, WORKER).then(
    () => assert.unreachable('it should have said so'),
    (error: Error) => {
      assert.instance(error, ConfigError)
      assert.match(error.message, /register.*block range too wide.*web app/)
    },
  )
})

Left.run()

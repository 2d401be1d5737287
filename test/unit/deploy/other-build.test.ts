import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { contentHash, type Deployer, type Reader } from '../../../src/chain/deploy/deployer.ts'
import type { DeploymentRecord, Sent } from '../../../src/chain/deploy/record.ts'
import { runSteps } from '../../../src/chain/deploy/run.ts'
import type { Settings } from '../../../src/chain/deploy/settings.ts'
import { toAddress } from '../../../src/domain/ids.ts'

/** A deployment that was begun, and is gone on with: its first contract is on the chain. */
const OtherBuild = suite('a deployment by another build')
const ADDRESS = toAddress(`0x${'11'.repeat(20)}`)
const HASH = `0x${'aa'.repeat(32)}` as const
const SENT: Sent = {
  nonce: 0,
  content: contentHash({ to: undefined, data: '0x01' }),
  hashes: [HASH],
  raw: '0x',
  address: ADDRESS,
}

/** @returns why it cannot go on */
async function goOn(data: '0x01' | '0x02', code: '0x60' | undefined): Promise<string> {
  const name = 'make ComputeGovernor'
  const deployer = {
    address: ADDRESS,
    nextNonce: async () => 1,
    isSpent: async () => true,
    outcomeOf: async () => 'success',
    sign: async () => assert.unreachable('it would be made twice'),
  } as unknown as Deployer
  const stopped = await runSteps({
    reader: { getCode: async () => code } as unknown as Reader,
    deployer,
    settings: { token: ADDRESS } as Settings,
    steps: [{ name, makes: 'governor', data: () => data }],
    record: { steps: { [name]: SENT } } as unknown as DeploymentRecord,
    keep: async () => {},
    log: () => {},
  }).catch((error: Error) => error.message)
  return String(stopped)
}

OtherBuild(
  'whose code differs from what was sent is told to be another, once and for all',
  async () => {
    const why = await goOn('0x02', '0x60')
    assert.match(why, `transaction ${HASH} was included, and this build would send something else`)
    assert.match(why, 'the version that this deployment was begun with')
  },
)

OtherBuild('which made the same, where the node does not show it yet, is to wait', async () => {
  assert.match(await goOn('0x01', undefined), 'wait until the node has caught up')
})

OtherBuild.run()

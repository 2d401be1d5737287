import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type JobId, makeJobId } from '../../../src/domain/ids.ts'
import { type EquivocationRecord, equivocationKey } from '../../../src/messages/strikes.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { addressOf, KEYS } from '../../fakes/chain/anvil.ts'
import { type KeeperHouse, openKeeperHouse } from '../../fakes/chain/keeper-house.ts'
import { makeStakeCaller } from '../../fakes/chain/stake-caller.ts'
import { until } from '../../until.ts'

/** Proofs that a worker signed two answers to one job, from the bucket to the chain. */
const Proofs = suite('keeper: two signed answers, on a real chain')

const WORKER = addressOf(KEYS.worker)
const STAKED = 1_000n * 10n ** 18n

let house: KeeperHouse
let stakes: ReturnType<typeof makeStakeCaller>

Proofs.before(async () => {
  house = await openKeeperHouse()
  stakes = makeStakeCaller(house.local)
  await house.giveCoin()
})
Proofs.after.each(() => house.rest())
Proofs.after(() => house?.stop())

const newJob = (): JobId => makeJobId(systemClock.now(), systemClock.randomBytes(16))
async function tell(jobId: JobId, second = stakes.signed(jobId, 'another')): Promise<string> {
  const completions = [stakes.signed(jobId, 'one'), second] as const
  const at = systemClock.now()
  const record = { worker: WORKER, workerId: 1, jobId, completions, at }
  const key = equivocationKey(WORKER, jobId)
  await house.registries.strikes.set(key, record)
  return key
}
const recordOf = async (key: string) =>
  (await house.registries.strikes.get(key))?.value as EquivocationRecord | undefined
const closes = (key: string, because: string) =>
  until(`the proof to be closed as ${because}`, async () => {
    return (await recordOf(key))?.closed?.because === because
  })
const stakeIs = (units: bigint) =>
  until(`${units} at stake`, async () => (await stakes.stakeOf(1)) === units)

Proofs('a worker with nothing at stake costs no gas', async () => {
  const key = await tell(newJob())
  await house.keep()
  await closes(key, 'nothing_at_stake')
})

Proofs('a tenth of the stake is gone, once, although the proof is told twice', async () => {
  await stakes.stakeFor(1, STAKED)
  const jobId = newJob()
  await tell(jobId)
  await house.keep()
  await stakeIs((STAKED * 9n) / 10n)
  await house.rest()
  // The next life knows nothing of the first.
  const key = await tell(jobId)
  await house.keep()
  await closes(key, 'punished')
  assert.is(await stakes.stakeOf(1), (STAKED * 9n) / 10n)
})

Proofs('no gas money: it waits, and goes once there is some', async () => {
  const before = await stakes.stakeOf(1)
  await house.takeCoin()
  await house.keep()
  await tell(newJob())
  await sleep(1_500)
  assert.is(await stakes.stakeOf(1), before)
  await house.giveCoin()
  await stakeIs((before * 9n) / 10n)
})

Proofs('a proof that does not hold is given up, and the next one is sent', async () => {
  const before = await stakes.stakeOf(1)
  const forged = newJob()
  const key = await tell(forged, stakes.signed(forged, 'another', KEYS.wallet))
  await house.keep()
  await tell(newJob())
  await closes(key, 'refused')
  await stakeIs((before * 9n) / 10n)
})

Proofs.run()

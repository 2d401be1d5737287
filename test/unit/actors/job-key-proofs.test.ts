import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partitionOfJob } from '../../../actors/job/actor.ts'
import { KeyProofs } from '../../../actors/job/key-proofs.ts'
import { apiKeyHash, keyProof, keyProofHash } from '../../../src/domain/hash.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { JobCommand, ShownKey, StartJob } from '../../../src/messages/job.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import { type KeyRecord, keyRecord } from '../../../src/messages/key-record.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { RequestTimeout } from '../../../src/ports/bus.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { jobId, start, wallet } from './given.ts'
import { hostJobs, stageJobs } from './job-stage.ts'

/** Who speaks like an edge, but was shown no key, begins nothing in a wallet's name. */
const Proofs = suite('job: begun with a key of its wallet')

const KEY = `svc_live_${'k'.repeat(32)}`
const KNOWN_MS = 60_000
const shown: ShownKey = { hash: apiKeyHash(KEY), proof: keyProof(KEY) }
const command = { ...start, key: shown } as StartJob

class Keys extends MemoryRegistry {
  reads = 0
  away = false

  override async get(key: string) {
    this.reads++
    if (this.away) throw new Error('the bucket does not answer')
    return super.get(key)
  }
}

async function house(record: KeyRecord | undefined = keyRecord(KEY, { wallet, createdAt: 1 })) {
  const keys = new Keys()
  if (record) await keys.set(shown.hash, record)
  const journal = new MemoryJournal()
  return { journal, ...(await hostOf(keys, journal)) }
}

async function hostOf(keys: Keys, journal: MemoryJournal) {
  const clock = new ManualClock()
  const log = makeLog('test', 'silent')
  const keyProofs = new KeyProofs({ keys, clock, log })
  const { bus, kind } = stageJobs({ clock, keyProofs })
  const host = hostJobs({ kind, bus, clock }, journal)
  await host.acquire([partitionOfJob(jobId)])
  const tell = async (said: JobCommand) => {
    const reply = await bus.request<JobReply>(SUBJECTS.jobCommand(jobId), said, 1_000)
    await rest()
    return reply
  }
  const kept = () => journal.last(SUBJECTS.jobJournal(jobId))
  return { keys, keyProofs, clock, tell, kept }
}

Proofs('the key of the wallet begins its job, and nothing of it is kept', async () => {
  const { tell, kept } = await house()
  assert.is((await tell(command)).type, 'accepted')
  const record = JSON.stringify(await kept(), (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  assert.match(record, /JobStarted/)
  for (const secret of [KEY, shown.hash, shown.proof]) assert.not.ok(record.includes(secret))
})

Proofs('whatever else is shown begins nothing', async () => {
  const { tell, kept } = await house()
  const another = `svc_live_${'x'.repeat(32)}`
  const tries: readonly unknown[] = [
    undefined,
    {},
    { hash: shown.hash },
    { hash: shown.hash, proof: '' },
    // All that can be read in the bucket.
    { hash: shown.hash, proof: shown.hash },
    { hash: shown.hash, proof: keyProofHash(shown.proof) },
    { hash: shown.hash, proof: keyProof(shown.hash) },
    { hash: shown.hash, proof: keyProof(another) },
    { hash: apiKeyHash(another), proof: keyProof(another) },
    { hash: '>', proof: shown.proof },
    { hash: [shown.hash], proof: shown.proof },
  ]
  for (const key of tries) {
    const reply = await tell({ ...command, key } as StartJob)
    assert.equal(reply, { type: 'refused', reason: 'not_admitted' }, JSON.stringify(key))
  }
  assert.is(await kept(), undefined, 'the journal knows nothing of it')
  assert.is((await tell(command)).type, 'accepted', 'the honest one after them')
})

Proofs('the key of one wallet begins no job of another', async () => {
  const { keyProofs } = await house()
  const other = toAddress(`0x${'9'.repeat(40)}`)
  assert.is(await keyProofs.holds({ ...command, wallet: other }), false)
  assert.is(await keyProofs.holds(command), true)
  assert.is(keyProofs.holds({ ...command, wallet: other }), false, 'nor once the key is known')
})

Proofs(
  'a job that has begun is told so again, whatever became of its key, by any host',
  async () => {
    const { tell, keys, journal } = await house()
    await tell(command)
    await keys.delete(shown.hash)
    assert.is((await tell(command)).type, 'accepted')
    const next = await hostOf(keys, journal)
    assert.is((await next.tell(command)).type, 'accepted', 'said to the next owner')
  },
)

Proofs('a key that is suspended, or gone, begins nothing within a minute', async () => {
  for (const suspends of [true, false]) {
    const { keys, keyProofs, clock } = await house()
    assert.is(await keyProofs.holds(command), true)
    const suspended = keyRecord(KEY, { wallet, createdAt: 1, status: 'suspended' })
    if (suspends) await keys.set(shown.hash, suspended)
    else await keys.delete(shown.hash)
    await clock.advance(KNOWN_MS)
    assert.is(await keyProofs.holds(command), false)
  }
})

Proofs('a key that was seen lately is not read again', async () => {
  const { keys, keyProofs } = await house()
  await keyProofs.holds(command)
  for (let i = 0; i < 5; i++) assert.is(keyProofs.holds(command), true)
  assert.is(keys.reads, 1)
})

Proofs('where keys cannot be read, nothing begins and nobody says so, until they can', async () => {
  const { keys, tell, kept } = await house()
  keys.away = true
  // No answer: another host may have begun it, and a refusal would deny that.
  const error = await tell(command).catch((thrown: unknown) => thrown)
  assert.instance(error, RequestTimeout)
  assert.is(await kept(), undefined)
  keys.away = false
  assert.is((await tell(command)).type, 'accepted')
})

Proofs('what was said behind a start is heard behind it', async () => {
  const { tell } = await house()
  const cancel: JobCommand = { type: 'CancelJob', jobId, at: command.at }
  const [started, cancelled] = await Promise.all([tell(command), tell(cancel)])
  assert.is(started.type, 'accepted')
  assert.is(cancelled.type === 'accepted' && cancelled.view.status, 'failed')
})

Proofs('a key that was made before there were proofs needs none', async () => {
  const { keyProofs } = await house({ wallet, createdAt: toUnixMs(1), status: 'active' })
  assert.is(await keyProofs.holds({ ...command, key: { ...shown, proof: 'any' } }), true)
})

Proofs.run()

import { RetentionPolicy, StorageType, type StreamConfig } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { changesOf, isSafe, requireSafe } from '../../../src/bus/streams/replication.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'

const Replication = suite('replication of streams')

const found = (more: Partial<StreamConfig>): StreamConfig =>
  ({
    name: 'JOB',
    subjects: ['job.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: 1,
    ...more,
  }) as StreamConfig
const wanted = { subjects: ['job.>'], retention: RetentionPolicy.Limits, storage: StorageType.File }
const refused = (act: () => unknown, message: string) => {
  try {
    act()
  } catch (error) {
    assert.instance(error, OperatorError)
    return assert.match((error as Error).message, message)
  }
  assert.unreachable('it was not refused')
}

Replication('copies need nats-server 2.11', () => {
  for (const version of ['2.9.10', '2.10.27', '1.30.0', '', 'unknown']) {
    assert.is(isSafe(version), false, version)
    refused(() => requireSafe(version, 3), 'before 2.11')
    requireSafe(version, 1)
  }
  for (const version of ['2.11.0', '2.12.1-RC.1', '2.15.1', '3.0.0']) requireSafe(version, 3)
})

Replication('what is as wanted is left alone', () => {
  assert.is(changesOf(wanted, found({}), 1), undefined)
  assert.is(changesOf(wanted, found({ num_replicas: 3 }), 3), undefined)
  assert.is(changesOf(wanted, found({ num_replicas: 3 }), undefined), undefined)
})

Replication('copies are raised, and lowered by nobody', () => {
  assert.equal(changesOf(wanted, found({}), 3), { num_replicas: 3 })
  refused(() => changesOf(wanted, found({ num_replicas: 3 }), 1), 'NATS_REPLICAS is 1: set it to 3')
})

Replication('subjects that are missing are added to what an operator added', () => {
  const more = changesOf(
    { ...wanted, subjects: ['job.>', 'new.>'] },
    found({ subjects: ['job.>', 'own.>'] }),
    1,
  )
  assert.equal(more, { subjects: ['job.>', 'own.>', 'new.>'] })
})

Replication('a stream that something else made is refused', () => {
  refused(
    () => changesOf(wanted, found({ retention: RetentionPolicy.Workqueue }), 1),
    'retention "workqueue"',
  )
  refused(() => changesOf(wanted, found({ storage: StorageType.Memory }), 1), 'storage "memory"')
})

Replication.run()

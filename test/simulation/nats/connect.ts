import { makeMirror } from '../../../src/bus/buckets/mirror.ts'
import { makeRegistry } from '../../../src/bus/buckets/registry.ts'
import type { Nats } from '../../../src/bus/connect.ts'
import { makeCoreBus } from '../../../src/bus/core/core-bus.ts'
import { makeArchive } from '../../../src/bus/streams/archive.ts'
import { makeDeliveryHistory } from '../../../src/bus/streams/delivery-history.ts'
import { makeFactReader } from '../../../src/bus/streams/fact-reader.ts'
import { makeFacts } from '../../../src/bus/streams/facts.ts'
import { makeJournal, makeJournalReader } from '../../../src/bus/streams/journal.ts'
import type { BucketName, StreamName } from '../../../src/bus/streams/streams.ts'
import { makeWebhookQueues } from '../../../src/bus/streams/webhook-queues.ts'
import { publishUntilDecided } from '../../../src/bus/until-decided.ts'
import type { Node } from '../world.ts'
import { connectSimNats } from './connection.ts'
import type { SimNats } from './server.ts'

/** The house's own adapters, on a connection to the simulated server. What they do is not simulated. */
export async function connectHouse(server: SimNats, node: Node): Promise<Nats> {
  const { log } = node
  const connection = connectSimNats(server, node)
  const js = publishUntilDecided(connection.jetstream())
  const jsm = await connection.jetstreamManager()
  const open = (stream: StreamName) => ({ stream, js, jsm, log })
  const openBucket = async (bucket: BucketName) => {
    const kv = await js.views.kv(bucket)
    return { bucket, js, connection, log, kv }
  }
  return {
    bus: makeCoreBus(connection, log),
    journal: async (stream) => makeJournal(open(stream)),
    jobReader: async () => makeJournalReader(open('JOB')),
    archive: async () => makeArchive(open('DONE')),
    facts: async () => makeFacts(js),
    factReader: async () => makeFactReader(open('FACT')),
    deliveryHistory: async () => makeDeliveryHistory(open('ATTEMPT')),
    registry: async (bucket) => makeRegistry(await openBucket(bucket)),
    mirror: async (bucket, parse) => makeMirror({ ...(await openBucket(bucket)), parse }),
    webhookQueues: async () => makeWebhookQueues(open('FACT'), open('HOOK')),
    close: () => connection.drain(),
  }
}

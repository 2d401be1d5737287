import { setTimeout as sleep } from 'node:timers/promises'
import {
  AckPolicy,
  connect,
  DeliverPolicy,
  ErrorCode,
  type JsMsg,
  type NatsConnection,
  NatsError,
  nanos,
} from 'nats'
import { natsAddress, placeOf } from '../address.ts'
import { CannotTell, reasonOf } from '../cannot-tell.ts'
import { type Deployment, NO_SUCH_STREAM, readDeployment, requireSame } from './deployment.ts'
import { type Difference, differ } from './difference.ts'
import { toldByArchive, toldByJournal, unpack } from './packed.ts'
import { mayBecome, type Told } from './told.ts'

export interface JournalReading {
  /** By job: its newest record. */
  readonly journal: ReadonlyMap<string, Told>
  /** By job: what was kept when it ended. */
  readonly archive: ReadonlyMap<string, Told>
  readonly differences: readonly Difference[]
}

const PATIENCE_MS = 10_000
const AGAIN_MS = 500
const BATCH = 1_000

/**
 * Reads every record that the service has of its jobs.
 * @param of the escrow whose books are audited
 */
export async function readJournal(url: string, of: Deployment): Promise<JournalReading> {
  const { servers, tls, user, pass } = natsAddress(url)
  const connection = await connect({
    servers: [...servers],
    ...(tls && { tls }),
    // Nobody may listen to the answers that another user gets.
    ...(user && { user, pass, inboxPrefix: `_INBOX_${user}` }),
    name: 'audit',
    timeout: PATIENCE_MS,
    reconnect: false,
  }).catch((error: unknown) => {
    if ((error as Partial<NatsError>)?.code === ErrorCode.ServerOptionNotAvailable) {
      throw new CannotTell(
        `NATS at ${servers.map(placeOf).join(',')} speaks no TLS, and --nats (or NATS_URL) says tls://`,
      )
    }
    throw new CannotTell(
      `no NATS server answers at ${servers.map(placeOf).join(',')} (${reasonOf(error)}): name it with --nats URL`,
    )
  })
  try {
    return await untilTold(async () => {
      requireSame(await readDeployment(connection), of, servers.map(placeOf).join(','))
      return readStreams(connection)
    })
  } catch (error) {
    if (!(error instanceof NatsError)) throw error
    throw new CannotTell(
      `NATS at ${servers.map(placeOf).join(',')} tells nothing of its streams (${reasonOf(error)}): ` +
        'look at its log, then try again',
      { cause: error },
    )
  } finally {
    await connection.close()
  }
}

/** Servers of a cluster elect who answers for a stream, and nobody does meanwhile. */
async function untilTold(read: () => Promise<JournalReading>): Promise<JournalReading> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof NatsError) || performance.now() > until) throw error
      await sleep(AGAIN_MS)
    }
  }
}

async function readStreams(connection: NatsConnection): Promise<JournalReading> {
  const differences: Difference[] = []
  const journal = new Map<string, Told>()
  await eachMessage(connection, { stream: 'JOB', subject: 'job.>' }, (message) => {
    differences.push(...enterRecord(journal, message))
  })
  const archive = new Map<string, Told>()
  await eachMessage(connection, { stream: 'DONE', subject: 'done.>' }, (message) => {
    differences.push(...enterArchived(archive, message))
  })
  return { journal, archive, differences }
}

/** One job has one journal, and its terminal states stay. */
function enterRecord(journal: Map<string, Told>, { subject, seq, data }: JsMsg): Difference[] {
  const found: Difference[] = []
  const owner = subject.split('.').at(-1) ?? subject
  const told = readable(() => toldByJournal(unpack(data), seq))
  if (!told) return [differ(owner, `record ${seq} of its journal cannot be read`)]
  if (told.jobId !== owner) {
    return [differ(owner, `record ${seq} of its journal speaks of ${told.jobId}`)]
  }
  const before = journal.get(owner)
  if (before && !mayBecome(before.status, told.status)) {
    found.push(differ(owner, `its journal goes from ${before.status} to ${told.status}`))
  }
  journal.set(owner, told)
  return found
}

function enterArchived(archive: Map<string, Told>, { seq, data }: JsMsg): Difference[] {
  const some = readable(() => toldByArchive(unpack(data)))
  if (!some) return [differ('archive', `message ${seq} cannot be read`)]
  for (const told of some) {
    const kept = archive.get(told.jobId)
    if (!kept || kept.version <= told.version) archive.set(told.jobId, told)
  }
  return []
}

/** What cannot be read is a finding of its own, never the end of the audit. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

interface Wanted {
  readonly stream: string
  readonly subject: string
}

/** Every message of the stream, in order. */
async function eachMessage(
  connection: NatsConnection,
  wanted: Wanted,
  each: (message: JsMsg) => void,
): Promise<void> {
  let next: number | 'end' = 1
  while (next !== 'end') next = await readFrom(next, connection, wanted, each)
}

/**
 * A server sends nothing twice: what was on its way when a fetch ended, because it took too long, would be passed
 * over, and jobs would differ that do not. So another consumer begins before it.
 * @returns from where
 */
async function readFrom(
  first: number,
  connection: NatsConnection,
  { stream, subject }: Wanted,
  each: (message: JsMsg) => void,
): Promise<number | 'end'> {
  const manager = await connection.jetstreamManager()
  const added = await manager.consumers
    .add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: first,
      filter_subject: subject,
      inactive_threshold: nanos(60_000),
      mem_storage: true,
      num_replicas: 1,
    })
    .catch((error: unknown) => {
      // A service that has ended no job yet has no archive.
      if (error instanceof NatsError && error.api_error?.err_code === NO_SUCH_STREAM) return
      throw error
    })
  if (!added) return 'end'
  const consumer = await connection.jetstream().consumers.get(stream, added.name)
  let [pending, next] = [added.num_pending, first]
  while (pending > 0) {
    let count = 0
    const batch = await consumer.fetch({ max_messages: BATCH, expires: PATIENCE_MS })
    for await (const message of batch) {
      each(message)
      count++
      next = message.seq + 1
      pending = message.info.pending
      if (pending === 0) break
    }
    if (count === 0) throw new CannotTell(`stream ${stream} holds messages that do not come`)
    if (pending > 0 && count < BATCH) return next
  }
  await manager.consumers.delete(stream, added.name)
  return 'end'
}

import type { JsMsg } from 'nats'
import { addressFromBytes, toBytes } from '../../domain/bytes.ts'
import { toJobId } from '../../domain/ids.ts'
import { assert } from '../../domain/result.ts'
import {
  type PackedJob,
  packJob,
  statusNumber,
  statusOfNumber,
  unpackJob,
} from '../../messages/packed-job.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { JobArchive, VersionedJob } from '../../ports/job-views.ts'
import type { Log } from '../../telemetry/log.ts'
import { decode, encode } from '../codec.ts'
import { readStream, type StreamReader } from './read-stream.ts'

/** One job in a message of the archive: what is beside the packed job, then the packed job. */
type ArchivedJob = readonly [
  version: number,
  id: string,
  wallet: Uint8Array,
  status: number,
  model: string,
  ...job: PackedJob,
]

/** Some 125 KiB; a reader decodes them in one go, which nothing else should have to wait for. */
const JOBS_PER_MESSAGE = 500
const READ_BATCH = 16
const APPEND_TIMEOUT_MS = 5_000

/** Stream DONE: each message holds many jobs. */
export function makeArchive(reader: StreamReader): JobArchive {
  return {
    append: async (jobs) => {
      for (let at = 0; at < jobs.length; at += JOBS_PER_MESSAGE) {
        const message = encode(jobs.slice(at, at + JOBS_PER_MESSAGE).map(toArchived))
        await reader.js.publish(SUBJECTS.doneJobs, message, { timeout: APPEND_TIMEOUT_MS })
      }
    },
    read: (each) =>
      readStream(reader, {
        from: 1,
        batch: READ_BATCH,
        each: async (messages) => {
          for (const message of messages) await each(readable(message, reader.log))
        },
      }),
  }
}

const toArchived = ({ view, version }: VersionedJob): ArchivedJob => [
  version,
  view.id,
  toBytes(view.wallet),
  statusNumber(view.status),
  view.model,
  ...packJob(view),
]

/** One message that nobody can read must not hide all the others. */
function readable({ data, seq }: JsMsg, log: Log): VersionedJob[] {
  try {
    return (decode(data) as ArchivedJob[]).map(fromArchived)
  } catch (error) {
    log.error({ err: error, sequence: seq }, 'archive: a message cannot be read')
    return []
  }
}

function fromArchived([
  version,
  id,
  walletBytes,
  status,
  model,
  ...job
]: ArchivedJob): VersionedJob {
  const wallet = addressFromBytes(walletBytes)
  assert(wallet, `archive: job ${id} has no wallet`)
  const key = { id: toJobId(id), wallet, status: statusOfNumber(status), model }
  return { version, view: unpackJob(key, job) }
}

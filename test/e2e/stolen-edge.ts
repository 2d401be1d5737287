import { connectNats } from '../../src/bus/connect.ts'
import { toCredits } from '../../src/domain/credits.ts'
import { type Address, makeJobId } from '../../src/domain/ids.ts'
import { addMs, toUnixMs } from '../../src/domain/time.ts'
import type { ShownKey, StartJob } from '../../src/messages/job.ts'
import type { JobReply } from '../../src/messages/job-reply.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { makeLog } from '../../src/telemetry/log.ts'

const ANSWER_MS = 20_000

/** What somebody can do who has the password of edges, and has seen no request. */
export interface Thief {
  /** All that can be read of the API key that is kept under `hash`. */
  readKey(hash: string): Promise<Readonly<Record<string, unknown>>>
  /** Says to the owner of a new job what an edge says. */
  begin(wallet: Address, key: unknown): Promise<JobReply>
  close(): Promise<void>
}

/** @param url of NATS, with the stolen password */
export async function breakIn(url: string): Promise<Thief> {
  const nats = await connectNats({ servers: url, name: 'thief', log: makeLog('test', 'silent') })
  const keys = await nats.registry('KEYS')
  return {
    readKey: async (hash) => {
      const entry = await keys.get(hash)
      if (!entry) throw new Error('no key is kept under this hash')
      return entry.value as Readonly<Record<string, unknown>>
    },
    begin: (wallet, key) => {
      const at = toUnixMs(Date.now())
      const command: StartJob = {
        ...{ type: 'StartJob', jobId: makeJobId(at, systemClock.randomBytes(16)), wallet },
        key: key as ShownKey,
        ...{ model: 'Qwen/Qwen3-8B', tier: 'standard', lock: toCredits(8), outputTokensMax: 500 },
        ...{
          stream: false,
          replyTo: SUBJECTS.edgeInbox('thief'),
          at,
          deadlineAt: addMs(at, 25_000),
        },
      }
      const subject = SUBJECTS.jobCommand(command.jobId, 'edge')
      return nats.bus.request<JobReply>(subject, command, ANSWER_MS)
    },
    close: () => nats.close(),
  }
}

import type { JobCommand } from './job.ts'
import { SENDERS, type Sender, SUBJECTS } from './subjects.ts'

type CommandType = JobCommand['type']

/** What each may say to a job. The actors themselves may say everything. */
const MAY_SAY: Readonly<Record<Exclude<Sender, 'house'>, ReadonlySet<CommandType>>> = {
  edge: new Set(['StartJob', 'CancelJob', 'JoinJob', 'AbandonJob', 'GetJob', 'DisputeJob']),
  web: new Set(['GetJob', 'DisputeJob']),
  pool: new Set(['GetJob', 'AssignWorker', 'FailWorker', 'CompleteJob']),
}

/** As `SUBJECTS.edgeInbox` makes them. */
const EDGE_INBOX = /^edge\.[A-Za-z0-9_-]+$/

/**
 * Whether what came on `subject` (`SUBJECTS.jobCommand`) is for its sender to say. A job answers at
 * the address that it was told, so that address must be an edge's: else whoever starts a job could
 * have the actors speak for it anywhere.
 */
export function mayCommand(subject: string, command: JobCommand): boolean {
  const sender = SENDERS.find((name) => name === subject.split('.').at(-2))
  if (!sender) return false
  // What is said to one job of another would be done to that other, past its own journal.
  if (subject !== SUBJECTS.jobCommand(command.jobId, sender)) return false
  if (sender !== 'house' && !MAY_SAY[sender].has(command.type)) return false
  const replyTo = 'replyTo' in command ? command.replyTo : undefined
  return replyTo === undefined || EDGE_INBOX.test(replyTo)
}

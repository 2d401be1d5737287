import { ConfigError } from '../../config/read.ts'
import { toAddress } from '../../domain/ids.ts'
import type { Settings } from '../cli/settings.ts'
import { existingAddress } from '../key/open-key.ts'
import { ask } from '../local/control.ts'
import { DRAIN_MS } from '../session.ts'

const GRACE_MS = 10_000

/** Tells the running agent to finish its jobs and leave, and waits until it has gone. */
export async function drain(settings: Settings): Promise<string> {
  const worker = toAddress(existingAddress(settings))
  let gone = () => {}
  const ended = new Promise<void>((resolve) => {
    gone = resolve
  })
  const report = await ask(settings.WORKER_HOME, worker, 'drain', gone)
  if (!report) throw new ConfigError(`no agent of ${worker} runs on this machine`)
  const jobs = report.busy === 1 ? '1 job' : `${report.busy} jobs`
  process.stderr.write(`${jobs} to finish …\n`)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const why = new ConfigError('the agent still runs: it finishes longer jobs than there can be')
    timer = setTimeout(() => reject(why), DRAIN_MS + GRACE_MS)
  })
  await Promise.race([ended, late]).finally(() => clearTimeout(timer))
  return 'drained: the agent has left'
}

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { RetrySchedule } from '../../../actors/webhook/after-attempt.ts'

export interface DelivererChild {
  readonly pid: number
  /** Resolves once it is gone. */
  kill(): Promise<void>
}

const PROGRAM = join(import.meta.dirname, 'deliverer-process.ts')
const READY_MS = 60_000

/** Starts a deliverer as a process of its own, and waits until it takes work. */
export async function forkDeliverer(
  natsUrl: string,
  schedule: RetrySchedule,
): Promise<DelivererChild> {
  const child = fork(PROGRAM, {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NATS_URL: natsUrl, RETRY_MS: schedule.join(',') },
  })
  await ready(child)
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  return {
    pid: child.pid!,
    kill: () => {
      child.kill('SIGKILL')
      return gone
    },
  }
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`a deliverer is not ready after ${READY_MS} ms`)),
      READY_MS,
    )
    child.once('message', () => {
      clearTimeout(late)
      resolve()
    })
    child.once('exit', (code) => {
      clearTimeout(late)
      reject(new Error(`a deliverer ended at its start, with ${code}`))
    })
  })
}

import { OperatorError } from '../domain/operator-error.ts'
import type { Log } from '../telemetry/log.ts'

/**
 * Runs a role until SIGTERM or SIGINT, then drains it. A role that cannot start says why in one
 * line and ends with 1, as one does that learns it later; one that meets a bug it cannot contain ends with 70 and is started anew. One
 * that is asked to end while it starts does so at once, with 0.
 */
export async function runProcess(
  log: Log,
  start: () => Promise<Role>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  process.on('unhandledRejection', (reason) => crash(log, reason))
  process.on('uncaughtException', (error) => crash(log, error))
  // While it starts, for which it may wait as long as its servers are away, nobody relies on it yet.
  let stop = (reason: string, isAsked: boolean): void => {
    log.info({ reason }, 'ended before it was ready')
    process.exit(isAsked ? 0 : 1)
  }
  // From the beginning: the first process of a container is not ended by a signal that it does not handle.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal, true))
  // What it started beside this role is gone as well, so that there is little left to drain into.
  whenSupervisorGone(() => stop('supervisor gone', false))
  const role = await start().catch((error: unknown) => {
    // One that the operator can put right is said as a command says it.
    if (error instanceof OperatorError) throw error
    return crash(log, error)
  })
  let stopping = false
  const leave = async (isAsked: boolean) => {
    if (isAsked) await role.leave?.()
    await role.stop()
  }
  stop = (reason, isAsked) => {
    // Who is gone waits for nothing, even where a stop was under way.
    if (!isAsked) setTimeout(() => process.exit(1), ORPHAN_PATIENCE_MS).unref()
    if (stopping) return
    stopping = true
    log.info({ reason }, 'draining')
    // A drain that hangs must not keep a deployment waiting.
    setTimeout(() => process.exit(1), patienceMs).unref()
    leave(isAsked).then(
      () => process.exit(0),
      (error) => crash(log, error),
    )
  }
}

const PATIENCE_MS = 20_000
const ORPHAN_PATIENCE_MS = 3_000

export interface Role {
  /** Has others send their work elsewhere, and goes on with its own until they do. */
  leave?(): Promise<void>
  stop(): Promise<void>
}

/**
 * Whoever starts a role with SVC_SUPERVISED=1 holds the other end of its standard input; the end of
 * that says that the supervisor has died, however it did.
 */
function whenSupervisorGone(gone: () => void): void {
  if (process.env.SVC_SUPERVISED !== '1') return
  process.stdin.on('end', gone).on('error', gone).resume()
}

/** Runs `main`; what only the operator can put right comes without a stack. */
export function main(run: () => Promise<void>): void {
  run().catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof OperatorError ? error.message : String((error as Error)?.stack ?? error)}\n`,
    )
    process.exit(1)
  })
}

function crash(log: Log, error: unknown): never {
  if (error instanceof OperatorError) {
    log.fatal(
      { reason: error.message },
      'stopped by something that only the operator can put right',
    )
    process.exit(1)
  }
  log.fatal({ err: error }, 'stopped by a fault')
  process.exit(70)
}

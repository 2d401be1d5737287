import type { Log } from '../telemetry/log.ts'
import { ConfigError } from './read.ts'

/**
 * Runs a role until SIGTERM or SIGINT, then drains it. A role that cannot start says why in one
 * line and ends with 1; one that meets a bug it cannot contain ends with 70 and is started anew.
 */
export async function runProcess(
  log: Log,
  start: () => Promise<{ stop(): Promise<void> }>,
): Promise<void> {
  process.on('unhandledRejection', (reason) => crash(log, reason))
  process.on('uncaughtException', (error) => crash(log, error))
  let stop = (_reason: string, _patienceMs: number): void => process.exit(1)
  // What it started beside this role is gone as well, so that there is little left to drain into.
  whenSupervisorGone(() => stop('supervisor gone', 3_000))
  const role = await start()
  let stopping = false
  stop = (reason, patienceMs) => {
    if (stopping) return
    stopping = true
    log.info({ reason }, 'draining')
    // A drain that hangs must not keep a deployment waiting.
    setTimeout(() => process.exit(1), patienceMs).unref()
    role.stop().then(
      () => process.exit(0),
      (error) => crash(log, error),
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => stop(signal, 20_000))
}

/**
 * Whoever starts a role with SVC_SUPERVISED=1 holds the other end of its standard input; the end of
 * that says that the supervisor has died, however it did.
 */
function whenSupervisorGone(gone: () => void): void {
  if (process.env.SVC_SUPERVISED !== '1') return
  process.stdin.on('end', gone).on('error', gone).resume()
}

/** Runs `main`; configuration errors are for the operator and come without a stack. */
export function main(run: () => Promise<void>): void {
  run().catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof ConfigError ? error.message : String((error as Error)?.stack ?? error)}\n`,
    )
    process.exit(1)
  })
}

function crash(log: Log, error: unknown): never {
  log.fatal({ err: error }, 'stopped by a fault')
  process.exit(70)
}

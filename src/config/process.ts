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
  const role = await start()
  const stop = (signal: string) => {
    log.info({ signal }, 'draining')
    // A drain that hangs must not keep a deployment waiting.
    setTimeout(() => process.exit(1), 20_000).unref()
    role.stop().then(
      () => process.exit(0),
      (error) => crash(log, error),
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
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

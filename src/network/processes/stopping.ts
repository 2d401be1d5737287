export interface Stopping {
  /** Process that started this one; it may be gone by now. */
  readonly startedBy: number
  stop(): Promise<void>
  kill(): void
}

// npm hands on a Ctrl-C that the terminal has already sent to the launcher: two signals for one key.
const SAME_KEY_MS = 750
const PARENT_LOOK_MS = 1_000

/** Calls `stop` at the first wish to end, and `kill` at the second. */
export function whenAskedToStop({ startedBy, stop, kill }: Stopping): void {
  let askedAt: number | undefined
  const asked = () => {
    const now = performance.now()
    if (askedAt === undefined) {
      askedAt = now
      void stop()
    } else if (now - askedAt > SAME_KEY_MS) kill()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, asked)
  whenParentGone(startedBy, () => {
    if (askedAt === undefined) asked()
  })
}

/** A program that starts a network and dies without ending it takes the network with it. */
function whenParentGone(startedBy: number, gone: () => void): void {
  if (process.env.SVC_SUPERVISED === '1') {
    process.stdin.on('end', gone).on('error', gone).resume()
  }
  // npm stands between the operator and this process; killed, it cannot say so.
  if (process.env.npm_lifecycle_event === 'start') {
    setInterval(() => {
      if (process.ppid !== startedBy) gone()
    }, PARENT_LOOK_MS).unref()
  }
}

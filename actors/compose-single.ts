import type { ResourceKind } from '../src/runtime/ownership.ts'

/** Something that runs in one host at a time, made anew each time this host comes to hold it. */
export function single(
  kind: string,
  name: string,
  make: () => { start(): Promise<void>; stop(): Promise<void> },
): ResourceKind {
  let running: ReturnType<typeof make> | undefined
  return {
    kind,
    names: [name],
    acquire: async () => {
      running = make()
      await running.start()
    },
    release: async () => {
      await running?.stop()
      running = undefined
    },
  }
}

import { connect } from 'node:net'

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

const LOOK_MS = 50

/**
 * Looks again and again until `look` answers something.
 * @returns undefined when `patienceMs` have passed
 */
export async function waitFor<T>(
  look: () => Promise<T | undefined>,
  patienceMs: number,
  pauseMs = LOOK_MS,
): Promise<T | undefined> {
  const end = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() >= end) return undefined
    await pause(pauseMs)
  }
}

/** @throws when nothing listens there within `patienceMs` */
export async function waitForListener(
  what: string,
  host: string,
  port: number,
  patienceMs: number,
): Promise<void> {
  const answer = await waitFor(() => canConnect(host, port), patienceMs)
  if (!answer) {
    throw new Error(`${what} does not listen on ${host}:${port} after ${patienceMs / 1000} s`)
  }
}

function canConnect(host: string, port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 })
    const answer = (value: true | undefined) => {
      socket.destroy()
      resolve(value)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(undefined))
    socket.once('timeout', () => answer(undefined))
  })
}

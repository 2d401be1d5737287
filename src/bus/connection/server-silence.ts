import type { NatsConnection } from 'nats'
import type { Log } from '../../telemetry/log.ts'

/** A server that hangs, or a network that swallows everything: the connection stands and brings nothing. */
export interface ServerSilence {
  readonly isSilent: boolean
  onChange(call: () => void): void
}

const ASK_MS = 500
/**
 * Well below the three seconds after which hosts, edges and pools that are not heard are given up. The
 * library's own pings, which end the connection, take longer.
 */
const SILENT_MS = 1_000

/** Asks the server again and again, for as long as the connection is used. */
export function watchSilence(connection: NatsConnection, log: Log): ServerSilence {
  let isSilent = false
  let askedAt: number | undefined
  const calls: (() => void)[] = []
  const become = (silent: boolean) => {
    if (silent === isSilent) return
    isSilent = silent
    if (silent) log.warn({ server: connection.getServer() }, 'nats: the server does not answer')
    for (const call of calls) call()
  }
  const ask = () => {
    askedAt = performance.now()
    connection.flush().then(
      () => {
        askedAt = undefined
        become(false)
      },
      // The connection has ended, and whoever made it is told so; the next one is asked anew.
      () => {
        askedAt = undefined
      },
    )
  }
  const judge = () => {
    if (askedAt !== undefined && performance.now() - askedAt > SILENT_MS) become(true)
  }
  const timer = setInterval(() => {
    if (connection.isClosed()) clearInterval(timer)
    else if (askedAt === undefined) ask()
    // After a pause of this very process the answer may be there and not be read yet.
    else setImmediate(judge)
  }, ASK_MS)
  timer.unref()
  return {
    get isSilent() {
      return isSilent
    },
    onChange: (call) => calls.push(call),
  }
}

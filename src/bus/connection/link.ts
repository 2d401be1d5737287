import { Events, type NatsConnection } from 'nats'
import type { ServerSilence } from './server-silence.ts'

/** Whether a bus brings anything: the connection stands, and its server answers. */
interface Link {
  readonly connected: boolean
  onChange(call: (connected: boolean) => void): void
}

export function watchLink(connection: NatsConnection, silence: ServerSilence | undefined): Link {
  let isUp = true
  let connected = true
  const watchers: ((connected: boolean) => void)[] = []
  const look = () => {
    const now = isUp && !silence?.isSilent
    if (now === connected) return
    connected = now
    for (const call of watchers) call(now)
  }
  const changed = (now: boolean) => {
    isUp = now
    look()
  }
  silence?.onChange(look)
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === Events.Disconnect) changed(false)
      if (status.type === Events.Reconnect) changed(true)
    }
    changed(false)
  })()

  return {
    get connected() {
      return connected
    },
    onChange: (call) => {
      watchers.push(call)
    },
  }
}

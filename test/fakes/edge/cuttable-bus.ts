import { type Bus, type BusHandler, NoResponders, RequestTimeout } from '../../../src/ports/bus.ts'

/** A bus within one process: subjects with `*`, requests, and a connection that can be cut. */
export class CuttableBus implements Bus {
  readonly published: { subject: string; message: unknown }[] = []
  readonly #subscriptions = new Set<{ subject: string; handler: BusHandler }>()
  readonly #watchers: ((connected: boolean) => void)[] = []
  #connected = true

  get connected(): boolean {
    return this.#connected
  }

  publish(subject: string, message: unknown): void {
    this.published.push({ subject, message })
    if (!this.#connected) return
    for (const { handler } of this.#listeners(subject)) {
      setImmediate(() => handler(message, subject, () => {}))
    }
  }

  request<Reply>(subject: string, message: unknown, timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const [listener] = this.#connected ? this.#listeners(subject) : []
      if (!listener) {
        setImmediate(() => reject(new NoResponders(subject)))
        return
      }
      const timer = setTimeout(() => reject(new RequestTimeout(subject, timeoutMs)), timeoutMs)
      setImmediate(() =>
        listener.handler(message, subject, (reply) => {
          clearTimeout(timer)
          resolve(reply as Reply)
        }),
      )
    })
  }

  subscribe(subject: string, handler: BusHandler) {
    const subscription = { subject, handler }
    this.#subscriptions.add(subscription)
    return { unsubscribe: () => void this.#subscriptions.delete(subscription) }
  }

  onConnection(call: (connected: boolean) => void): void {
    this.#watchers.push(call)
  }

  setConnected(connected: boolean): void {
    this.#connected = connected
    for (const call of this.#watchers) call(connected)
  }

  async flush(): Promise<void> {}
  async close(): Promise<void> {}

  #listeners(subject: string) {
    return [...this.#subscriptions].filter((one) => matches(one.subject, subject))
  }
}

function matches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.')
  const given = subject.split('.')
  return (
    wanted.length === given.length &&
    wanted.every((token, i) => token === '*' || token === given[i])
  )
}

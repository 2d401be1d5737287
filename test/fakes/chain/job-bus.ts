import { type Bus, type BusHandler, NoResponders, RequestTimeout } from '../../../src/ports/bus.ts'

/** A bus within one process; like the real one it delivers later, never during `publish`. */
export class JobBus implements Bus {
  connected = true
  readonly #subscribers = new Set<{ subject: string; handler: BusHandler }>()

  onConnection(): void {}

  publish(subject: string, message: unknown): void {
    for (const { handler } of this.#listeners(subject)) {
      setImmediate(() => handler(message, subject, () => {}))
    }
  }

  request<Reply>(subject: string, message: unknown, timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const [first] = this.#listeners(subject)
      if (!first) {
        setImmediate(() => reject(new NoResponders(subject)))
        return
      }
      const timer = setTimeout(() => reject(new RequestTimeout(subject, timeoutMs)), timeoutMs)
      const respond = (reply: unknown) => {
        clearTimeout(timer)
        resolve(reply as Reply)
      }
      setImmediate(() => first.handler(message, subject, respond))
    })
  }

  subscribe(subject: string, handler: BusHandler) {
    const subscriber = { subject, handler }
    this.#subscribers.add(subscriber)
    return {
      unsubscribe: () => {
        this.#subscribers.delete(subscriber)
      },
    }
  }

  async flush(): Promise<void> {}
  async close(): Promise<void> {}

  #listeners(subject: string) {
    const tokens = subject.split('.')
    return [...this.#subscribers].filter((each) => {
      const wanted = each.subject.split('.')
      return (
        wanted.length === tokens.length &&
        wanted.every((token, i) => token === '*' || token === tokens[i])
      )
    })
  }
}

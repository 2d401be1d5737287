import { type Bus, type BusHandler, NoResponders, RequestTimeout } from '../../../src/ports/bus.ts'

/** A bus inside one process: each message is delivered in a turn of its own, in order. */
export class TurnBus implements Bus {
  readonly connected = true
  /** Cuts the waiting of requests short. */
  answerMs = Infinity
  /** Messages published, newest last. */
  readonly published: { readonly subject: string; readonly message: unknown }[] = []
  private readonly handlers = new Map<string, Set<BusHandler>>()

  publish(subject: string, message: unknown): void {
    this.published.push({ subject, message })
    setImmediate(() => {
      for (const handler of this.listeners(subject)) handler(message, subject, () => {})
    })
  }

  request<Reply>(subject: string, message: unknown, timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const [handler] = this.listeners(subject)
      if (!handler) {
        reject(new NoResponders(subject))
        return
      }
      const spanMs = Math.min(timeoutMs, this.answerMs)
      const timer = setTimeout(() => reject(new RequestTimeout(subject, spanMs)), spanMs)
      const respond = (reply: unknown) => {
        clearTimeout(timer)
        resolve(reply as Reply)
      }
      setImmediate(() => handler(message, subject, respond))
    })
  }

  subscribe(subject: string, handler: BusHandler): { unsubscribe(): void } {
    const handlers = this.handlers.get(subject) ?? new Set()
    this.handlers.set(subject, handlers.add(handler))
    return { unsubscribe: () => handlers.delete(handler) }
  }

  onConnection(): void {}
  async flush(): Promise<void> {}
  async close(): Promise<void> {}

  /** `*` stands for one token, as on the real bus. */
  private listeners(subject: string): BusHandler[] {
    const tokens = subject.split('.')
    return [...this.handlers].flatMap(([pattern, handlers]) => {
      const parts = pattern.split('.')
      const matches =
        parts.length === tokens.length &&
        parts.every((part, i) => part === '*' || part === tokens[i])
      return matches ? [...handlers] : []
    })
  }
}

import type { Command, Redis } from 'ioredis'

/**
 * From now on a command that Redis does not answer within `withinMs` fails. What ioredis would do itself is to look
 * at the clock before it reads the socket: to a process that stood still for so long, as one may where a
 * thousand requests come at once, every answer that lies there would be late. Here what has come is read
 * first. One timer serves all.
 */
export function failLate(redis: Redis, withinMs: number): void {
  const send = redis.sendCommand.bind(redis)
  // In the order of their deadlines, since all have the same time.
  const waiting = new Map<Command, number>()
  let isLooking = false

  const look = () => {
    isLooking = false
    const now = performance.now()
    for (const [command, until] of waiting) {
      if (until > now) return lookIn(until - now)
      waiting.delete(command)
      command.reject(new Error(`Redis did not answer within ${withinMs} ms`))
    }
  }
  const lookIn = (ms: number) => {
    if (isLooking) return
    isLooking = true
    // Immediates come after what is read, timers before it.
    setTimeout(() => setImmediate(look), Math.ceil(ms)).unref()
  }
  redis.sendCommand = (command, stream) => {
    const answered = () => waiting.delete(command)
    waiting.set(command, performance.now() + withinMs)
    command.promise.then(answered, answered)
    lookIn(withinMs)
    return send(command, stream)
  }
}

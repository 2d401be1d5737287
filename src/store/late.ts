import type { Command, Redis } from 'ioredis'
import { Slots } from '../domain/slots.ts'

/**
 * From now on a command that Redis does not answer within `withinMs` fails. What ioredis would do itself is to look
 * at the clock before it reads the socket: to a process that stood still for so long, as one may where a
 * thousand requests come at once, every answer that lies there would be late. Here what has come is read
 * first. One timer serves all.
 */
export function failLate(redis: Redis, withinMs: number): void {
  const send = redis.sendCommand.bind(redis)
  const waiting = new Slots<{ readonly command: Command; readonly until: number }>()
  let isLooking = false

  const look = () => {
    isLooking = false
    const now = performance.now()
    const { late, next } = waiting.takeLate(now)
    for (const { command } of late) {
      command.reject(new Error(`Redis did not answer within ${withinMs} ms`))
    }
    if (next !== undefined) lookIn(next - now)
  }
  const lookIn = (ms: number) => {
    if (isLooking) return
    isLooking = true
    // Immediates come after what is read, timers before it.
    setTimeout(() => setImmediate(look), Math.ceil(ms)).unref()
  }
  redis.sendCommand = (command, stream) => {
    const slot = waiting.add({ command, until: performance.now() + withinMs })
    const answered = () => {
      if (waiting.get(slot)?.command === command) waiting.take(slot)
    }
    command.promise.then(answered, answered)
    lookIn(withinMs)
    return send(command, stream)
  }
}

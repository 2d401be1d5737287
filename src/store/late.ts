import type { Command, Redis } from 'ioredis'
import { Slots } from '../domain/slots.ts'

export interface Patience {
  /** A command fails that is not answered within so long. */
  readonly answerMs: number
  /** Where nothing at all has come for so long since one was asked, the connection is made anew. */
  readonly silenceMs: number
}

/**
 * From now on a command that Redis does not answer in time fails. What ioredis would do itself is to look
 * at the clock before it reads the socket: to a process that stood still for so long, as one may where a
 * thousand requests come at once, every answer that lies there would be late. Here what has come is read
 * first. One timer serves all.
 *
 * A connection whose other end is gone without a word (a machine lost, a firewall that forgot it) stands
 * for as long as the kernel sends again, which is a quarter of an hour; and after a cut it sends again as much later
 * as the cut was long. So a silent one is given up.
 */
export function failLate(redis: Redis, { answerMs, silenceMs }: Patience): void {
  const send = redis.sendCommand.bind(redis)
  const waiting = new Slots<{ readonly command: Command; readonly until: number }>()
  let isLooking = false
  let heardAt = performance.now()
  /** When the first was asked since then: a quiet time before it is no silence. */
  let askedAt = heardAt
  let isSilent = false

  const heard = () => {
    heardAt = performance.now()
    isSilent = false
  }
  redis.on('connect', () => {
    heard()
    redis.stream.on('data', heard)
  })
  redis.on('close', heard)

  const look = () => {
    isLooking = false
    const now = performance.now()
    const { late, next } = waiting.takeLate(now)
    for (const { command } of late) {
      command.reject(new Error(`Redis did not answer within ${answerMs} ms`))
    }
    isSilent ||= late.length > 0 && askedAt > heardAt
    if (isSilent && now - askedAt > silenceMs) {
      redis.stream.destroy(new Error(`nothing was heard of Redis for ${silenceMs} ms`))
    }
    // Also where nobody asks meanwhile: the next one need not find out.
    if (next !== undefined || isSilent) lookIn((next ?? now + answerMs) - now)
  }
  const lookIn = (ms: number) => {
    if (isLooking) return
    isLooking = true
    // Immediates come after what is read, timers before it.
    setTimeout(() => setImmediate(look), Math.ceil(ms)).unref()
  }
  redis.sendCommand = (command, stream) => {
    const now = performance.now()
    if (askedAt <= heardAt) askedAt = now
    const slot = waiting.add({ command, until: now + answerMs })
    const answered = () => {
      if (waiting.get(slot)?.command === command) waiting.take(slot)
    }
    command.promise.then(answered, answered)
    lookIn(answerMs)
    return send(command, stream)
  }
}

import type { Redis } from 'ioredis'

/**
 * From now on the commands of one turn of the event loop are written to the socket at once, in their
 * order. ioredis makes a system call of each. Its own automatic pipelines would do the same, and answer
 * for a script that Redis has forgotten with an error.
 */
export function writeByTurn(redis: Redis): void {
  redis.on('connect', () => {
    const { stream } = redis
    const write = stream.write.bind(stream)
    let corked = false
    const uncork = () => {
      corked = false
      stream.uncork()
    }
    stream.write = ((...written: Parameters<typeof write>) => {
      if (!corked) {
        corked = true
        stream.cork()
        setImmediate(uncork)
      }
      return write(...written)
    }) as typeof stream.write
  })
}

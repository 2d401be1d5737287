import type { FastifyInstance } from 'fastify'
import type { DurationMs } from '../../domain/time.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import { refuse } from './errors.ts'

/** How an HTTP server of the house goes: first nobody new is sent to it, then nobody new is let in. */
export interface Leaving {
  /** True from the first wish to end on: it should get no more requests, but serves those it gets. */
  readonly begun: boolean
  /** True once requests are refused. */
  readonly closing: boolean
  /** Resolves when whoever looks at /readyz has had the time to notice. */
  begin(): Promise<void>
  close(): void
}

export function makeLeaving(clock: Clock, noticeMs: DurationMs): Leaving {
  let [begun, closing] = [false, false]
  return {
    get begun() {
      return begun
    },
    get closing() {
      return closing
    },
    begin: async () => {
      begun = true
      if (noticeMs > 0) await pause(clock, noticeMs)
    },
    close: () => {
      begun = true
      closing = true
    },
  }
}

export const goingDown = () => refuse('service_unavailable', 'This host is going down; try again.')

/** A connection that is kept open would be used again when nobody is here any more. */
export function endConnections(server: FastifyInstance, leaving: Leaving): void {
  server.addHook('onSend', async (_request, reply) => {
    if (leaving.begun) reply.header('connection', 'close')
  })
}

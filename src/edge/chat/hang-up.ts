import type { ServerResponse } from 'node:http'

/** Whether the caller has gone before its answer was complete. */
export interface HangUp {
  readonly happened: boolean
  /** Resolves when it happens. */
  readonly signal: Promise<'hung_up'>
}

export function watchHangUp(response: ServerResponse): HangUp {
  const gone = () => response.destroyed && !response.writableFinished
  const signal = new Promise<'hung_up'>((resolve) => {
    if (gone()) resolve('hung_up')
    response.once('close', () => {
      if (!response.writableFinished) resolve('hung_up')
    })
  })
  return {
    get happened() {
      return gone()
    },
    signal,
  }
}

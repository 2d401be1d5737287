import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { STALE_QUERIES, type StaleQueries } from '../../api.ts'

const AGAIN_MS = 10_000

/**
 * Hears from /api/events what is stale and asks for it again. Queries ask now and then on their own:
 * this only makes it sooner. Hidden tabs let go: a browser opens few connections to one host, over all
 * of its tabs.
 */
export function useLiveUpdates(): void {
  const client = useQueryClient()
  useEffect(() => {
    let events: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let missed = false
    const askAgain = (queries: StaleQueries['queries']) => {
      for (const name of queries) void client.invalidateQueries({ queryKey: [name] })
    }
    const stop = () => {
      clearTimeout(timer)
      events?.close()
    }
    const follow = () => {
      stop()
      if (!document.hidden) {
        events = openEvents(askAgain, () => {
          timer = setTimeout(follow, AGAIN_MS)
        })
        if (missed) events.addEventListener('open', () => askAgain(STALE_QUERIES), { once: true })
      }
      missed = true
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      stop()
    }
  }, [client])
}

/** A connection that is lost comes back by itself; one that is refused is closed for good. */
function openEvents(
  stale: (queries: StaleQueries['queries']) => void,
  refused: () => void,
): EventSource {
  const events = new EventSource('/api/events')
  events.addEventListener('stale', ({ data }: MessageEvent<string>) => {
    const { queries }: StaleQueries = JSON.parse(data)
    stale(queries)
  })
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) refused()
  })
  return events
}

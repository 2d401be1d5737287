import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { StaleQueries } from '../../api.ts'

/**
 * Hears from /api/events what is stale and asks for it again. A connection that is lost comes back by
 * itself, and queries ask now and then on their own: this only makes it sooner.
 */
export function useLiveUpdates(): void {
  const client = useQueryClient()
  useEffect(() => {
    const events = new EventSource('/api/events')
    events.addEventListener('stale', ({ data }: MessageEvent<string>) => {
      const { queries }: StaleQueries = JSON.parse(data)
      for (const name of queries) void client.invalidateQueries({ queryKey: [name] })
    })
    return () => events.close()
  }, [client])
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Replayed, ReplayRequest, WebWebhook } from '../../../webhook-api.ts'
import { call } from '../../api/call.ts'
import { webhooksQuery } from '../../api/queries.ts'

/** Of one event, of all that failed, or of a span of time. */
export function useReplay(webhook: WebWebhook) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (wanted: ReplayRequest) => replayAll(webhook, wanted),
    // A replay makes a failed webhook active, too.
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  })
}

/** As many times as it takes: a request replays only so many. */
async function replayAll({ id }: WebWebhook, wanted: ReplayRequest): Promise<number> {
  const path = `/webhooks/${encodeURIComponent(id)}/replay`
  let count = 0
  let rest: ReplayRequest | undefined = wanted
  while (rest) {
    const { events, next_cursor }: Replayed = await call('POST', path, rest)
    count += events
    rest = next_cursor === null ? undefined : { ...wanted, cursor: next_cursor }
  }
  return count
}

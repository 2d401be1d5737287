import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReplayRequest, WebWebhook } from '../../../webhook-api.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { replayAll } from './replay-all.ts'

/** Of one event, of all that failed, or of a span of time. */
export function useReplay({ id }: WebWebhook) {
  const client = useQueryClient()
  const [count, setCount] = useState(0)
  const replay = useMutation({
    mutationFn: (wanted: ReplayRequest) => replayAll(id, wanted, { came: setCount, pause }),
    onMutate: () => setCount(0),
    // A replay makes a failed webhook active, too.
    onSettled: () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  })
  return { replay, onTheirWay: onTheirWay(count, replay.status) }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** For the person who waits, or who must know how far it came. */
function onTheirWay(count: number, status: 'idle' | 'pending' | 'success' | 'error'): string {
  if (status === 'success') return `On their way again: ${count}.`
  if (count === 0) return ''
  return status === 'pending'
    ? `On their way again: ${count} so far.`
    : `On their way again: ${count}, before it stopped.`
}

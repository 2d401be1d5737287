import { useEffect, useState } from 'react'
import { serviceNow } from '../api/service-clock.ts'
import { dateTime, span } from './words.ts'

const SECOND_MS = 1_000

/** The service's time now, told anew each second for as long as somebody looks and it is not over. */
export function useNow(untilMs: number): number {
  const [now, setNow] = useState(serviceNow)
  const over = now >= untilMs
  useEffect(() => {
    if (over) return
    const timer = setInterval(() => setNow(serviceNow()), SECOND_MS)
    return () => clearInterval(timer)
  }, [over])
  return now
}

export function Countdown({ until, done }: { readonly until: string; readonly done: string }) {
  const end = Date.parse(until)
  const now = useNow(end)
  return (
    <time dateTime={until} title={dateTime(until)} className="numbers">
      {now >= end ? done : `in ${span(end - now)}`}
    </time>
  )
}

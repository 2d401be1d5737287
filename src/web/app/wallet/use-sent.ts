import { useSyncExternalStore } from 'react'
import { onChangeElsewhere } from '../session/page.ts'
import { all, onSentChange, SENT_ITEM, type Sent, sentVersion, untold } from './sent.ts'

/** Of which nothing else on this page says how far they are, newest first. */
export function useUntold(): readonly Sent[] {
  useSyncExternalStore(onChange, sentVersion)
  return untold()
}

/** Whether the withdrawal or purchase of this ID is on its way to a block. */
export function useIsSent(id: string | undefined): boolean {
  useSyncExternalStore(onChange, sentVersion)
  return id !== undefined && all().some(({ of }) => of === id)
}

function onChange(changed: () => void): () => void {
  const stopHere = onSentChange(changed)
  const stopElsewhere = onChangeElsewhere(SENT_ITEM, changed)
  return () => {
    stopHere()
    stopElsewhere()
  }
}

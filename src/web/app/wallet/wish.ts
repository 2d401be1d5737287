import type { Address } from 'viem'

/**
 * One wish to withdraw has one request id, also when it is asked twice, declined in the wallet or the
 * page is reloaded: the service then gives the same permission again instead of "one is open".
 */
export interface Wish {
  readonly wallet: Address
  readonly credits: number
  readonly to: Address
}
interface KeptWish extends Wish {
  readonly requestId: string
  /** Unix seconds; null until the permission is known. */
  readonly deadline: number | null
}

const ITEM = 'svc.withdrawal'
const MS = 1_000

export function requestIdOf({ wallet, credits, to }: Wish): string {
  const kept = keptWish()
  const isSame = kept?.wallet === wallet && kept.credits === credits && kept.to === to
  const isOpen = kept?.deadline == null || kept.deadline * MS > Date.now()
  if (kept && isSame && isOpen) return kept.requestId
  const requestId = crypto.randomUUID()
  keep({ wallet, credits, to, requestId, deadline: null })
  return requestId
}

export function notePermission(deadline: number): void {
  const kept = keptWish()
  if (kept) keep({ ...kept, deadline })
}

/** It is carried out: the next one is another. */
export const endWish = (): void => sessionStorage.removeItem(ITEM)

const keep = (wish: KeptWish): void => sessionStorage.setItem(ITEM, JSON.stringify(wish))

function keptWish(): KeptWish | undefined {
  const text = sessionStorage.getItem(ITEM)
  return text === null ? undefined : JSON.parse(text)
}

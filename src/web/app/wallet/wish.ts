import type { Address } from 'viem'
import { serviceNow } from '../api/service-clock.ts'
import { keptByTab } from '../session/kept.ts'
import { randomId } from '../session/random-id.ts'

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
/** Its credits are set aside: no other withdrawal can have them before its deadline. */
export interface OpenWish extends KeptWish {
  readonly deadline: number
}

const ITEM = 'svc.withdrawal'
const MS = 1_000

export function requestIdOf(wish: Wish): string {
  const kept = sameAs(wish)
  if (kept) return kept.requestId
  const { wallet, credits, to } = wish
  const requestId = randomId()
  keep({ wallet, credits, to, requestId, deadline: null })
  return requestId
}

/** To ask it again gets the same permission, whatever else is available. */
export const isWished = (wish: Wish): boolean => sameAs(wish) !== undefined

/** The withdrawal that has a permission and is not carried out. */
export function openWish(wallet: Address): OpenWish | undefined {
  const wish = permittedWish(wallet)
  return wish && isAhead(wish.deadline) ? wish : undefined
}

/** The same, also when its permission is over. */
export function permittedWish(wallet: Address): OpenWish | undefined {
  const kept = keptWish()
  if (kept?.wallet !== wallet || kept.deadline === null) return undefined
  return { ...kept, deadline: kept.deadline }
}

/** It has the credits, and with them the place of what was wished for meanwhile, which is refused. */
export function notePermission(permitted: OpenWish): void {
  // Where nothing is kept, it is carried out already.
  if (keptWish()) keep(permitted)
}

/** The one of this request is carried out: the next one is another. */
export function endWish(requestId: string): void {
  if (keptWish()?.requestId === requestId) keptByTab.removeItem(ITEM)
}

const isAhead = (deadline: number): boolean => deadline * MS > serviceNow()

/** The kept wish, where it is this one and may still be open. */
function sameAs({ wallet, credits, to }: Wish): KeptWish | undefined {
  const kept = keptWish()
  const isSame = kept?.wallet === wallet && kept.credits === credits && kept.to === to
  const isOpen = kept?.deadline == null || isAhead(kept.deadline)
  return isSame && isOpen ? kept : undefined
}

const keep = (wish: KeptWish): void => keptByTab.setItem(ITEM, JSON.stringify(wish))

function keptWish(): KeptWish | undefined {
  const text = keptByTab.getItem(ITEM)
  return text === null ? undefined : JSON.parse(text)
}

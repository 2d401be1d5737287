import type { Address } from 'viem'
import { serviceNow } from '../api/service-clock.ts'
import { keptByBrowser } from '../session/kept.ts'
import type { TxHash } from './transact.ts'

/**
 * Transactions that were sent and are not known to be in a block. A page that is loaded anew, another tab
 * and whoever signs in again find them here; the chain says what became of them.
 */
export interface Sent {
  readonly hash: TxHash
  readonly wallet: Address
  readonly chainId: number
  /** The path of the page that it belongs to. */
  readonly place: string
  /** What its button said. */
  readonly what: string
  /** By when it was sent, in Unix ms. */
  readonly at: number
  /** What is over once it is in a block: the withdrawal or the purchase of this ID. */
  readonly of?: string
  /** Once the chain has shown it: by these a replacement is known. */
  readonly sender?: Sender
}
export interface Sender {
  readonly from: Address
  readonly nonce: number
}

/** Where other tabs see a change. */
export const SENT_ITEM = 'svc.sent'
/** What is in no block after a day is the wallet's to tell. */
const KEPT_MS = 24 * 3_600_000
const KEPT_MOST = 20

const listeners = new Set<() => void>()
/** Somebody on this page says already how far these are. */
const told = new Set<TxHash>()

/** Whoever sends it says itself how far it is, until `leaveUntold`. */
export function remember(sent: Omit<Sent, 'at'>): void {
  told.add(sent.hash)
  store([{ ...sent, at: serviceNow() }, ...all().filter(({ hash }) => hash !== sent.hash)])
}

/** Its end is known, or nobody wants to know it. */
export const forget = (hash: TxHash): void => {
  told.delete(hash)
  store(all().filter((each) => each.hash !== hash))
}

/** Whoever said how far it is says so no longer. */
export function leaveUntold(hash: TxHash): void {
  if (told.delete(hash)) tell()
}

export function noteSender(hash: TxHash, sender: Sender): void {
  const known = all()
  const isNews = known.some((each) => each.hash === hash && !each.sender)
  if (isNews) store(known.map((each) => (each.hash === hash ? { ...each, sender } : each)))
}

/** Newest first. */
export function all(): readonly Sent[] {
  return parsed(keptByBrowser.getItem(SENT_ITEM)).filter(({ at }) => at > serviceNow() - KEPT_MS)
}

/** Those of which nothing on this page says how far they are. */
export const untold = (): readonly Sent[] => all().filter(({ hash }) => !told.has(hash))

/** The same as long as nothing has changed. */
export const sentVersion = (): string => `${keptByBrowser.getItem(SENT_ITEM)} ${[...told]}`

/** Hears of what this tab changes. Returns how to stop. */
export function onSentChange(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

function store(sent: readonly Sent[]): void {
  if (sent.length === 0) keptByBrowser.removeItem(SENT_ITEM)
  else keptByBrowser.setItem(SENT_ITEM, JSON.stringify(sent.slice(0, KEPT_MOST)))
  tell()
}

function tell(): void {
  for (const changed of listeners) changed()
}

function parsed(text: string | null): readonly Sent[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list.filter((each) => typeof each?.hash === 'string') : []
  } catch {
    return [] // written by another version, or by hand
  }
}

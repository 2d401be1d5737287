import type { Flaw, FlawKind } from '../../messages/strikes.ts'

export const flaw = (kind: FlawKind, text: string): Flaw => ({ kind, text })

export const NOT_ACCEPTED = flaw('not_accepted', 'it answered an offer that it has not accepted')

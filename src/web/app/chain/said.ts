import type { AbiParameter } from 'viem'
import { formatUnits } from 'viem'
import { SKIP_REASONS, SLASH_REASONS } from '../../../chain/abi.ts'
import { TIERS } from '../../../domain/tiers.ts'
import { credits, preciseOf, usdgOfUnits } from '../parts/words.ts'
import { jobIdOfHex } from './job-id.ts'
import { roleName } from './roles.ts'

/** A value of a call or an event, as people read it. */
export type Said =
  | { readonly kind: 'text' | 'code' | 'job' | 'address'; readonly text: string }
  | { readonly kind: 'parts'; readonly parts: readonly NamedSaid[] }
export interface NamedSaid {
  readonly name: string
  readonly said: Said
}

/** Where a value stands: its contract's name, and that of the function or event. */
export interface Place {
  readonly contract: string
  readonly of: string
}

export function sayAll(
  place: Place,
  inputs: readonly AbiParameter[],
  args: readonly unknown[] | Readonly<Record<string, unknown>>,
): readonly NamedSaid[] {
  const argOf = (input: AbiParameter, i: number): unknown =>
    Array.isArray(args) ? args[i] : (args as Record<string, unknown>)[input.name ?? '']
  return inputs.map((input, i) => ({
    name: input.name || `${i + 1}`,
    said: say(place, input, argOf(input, i)),
  }))
}

function say(place: Place, input: AbiParameter, value: unknown): Said {
  if (Array.isArray(value) && input.type.endsWith(']')) {
    const one = { ...input, type: input.type.replace(/\[\d*\]$/, '') }
    const parts = value.map((each, i) => ({ name: `${i + 1}`, said: say(place, one, each) }))
    return parts.length > 0 ? { kind: 'parts', parts } : { kind: 'text', text: 'none' }
  }
  if ('components' in input && typeof value === 'object' && value !== null) {
    return {
      kind: 'parts',
      parts: sayAll(place, input.components, value as Record<string, unknown>),
    }
  }
  if (input.type === 'address') return { kind: 'address', text: String(value).toLowerCase() }
  if (input.type === 'bool') return text(value ? 'yes' : 'no')
  if (input.type === 'string') return text(String(value))
  if (input.type.startsWith('bytes')) return sayBytes(input.name ?? '', String(value))
  if (typeof value === 'bigint' || typeof value === 'number') {
    return text(sayNumber(place, input.name ?? '', BigInt(value)))
  }
  return text(String(value))
}

const text = (words: string): Said => ({ kind: 'text', text: words })

function sayBytes(name: string, hex: string): Said {
  if (/jobId/i.test(name)) {
    const id = jobIdOfHex(hex)
    if (id) return { kind: 'job', text: id }
  }
  if (name === 'outputHash' || name === 'claimedHash') {
    return { kind: 'code', text: `sha256:${hex.slice(2)}` }
  }
  if (/role/i.test(name)) return { kind: 'code', text: roleName(hex) ?? hex }
  return { kind: 'code', text: hex }
}

const TIMES = new Set([
  ...['endsAt', 'withdrawableAt', 'retiresAt', 'deadline', 'validAfter', 'validBefore'],
  ...['voteStart', 'voteEnd', 'etaSeconds', 'completedAt', 'expiry'],
])
/** Whoever gives more means for ever. */
const TIME_MAX = 10n ** 11n
const SUPPORT = ['against', 'for', 'abstain']
const GOVERNANCE = new Set(['RCOMPUTE', 'WorkerStaking', 'ComputeGovernor'])
const AMOUNTS = /^(?:amount|value|active|unbonding|weight|previousVotes|newVotes|.*Threshold)$/

function sayNumber({ contract, of }: Place, name: string, value: bigint): string {
  if (/credits/i.test(name)) return credits(Number(value))
  if (/units$/i.test(name)) return usdgOfUnits(value)
  if (TIMES.has(name)) return sayTime(value)
  if (name === 'tier') return TIERS[Number(value)] ?? `${value}`
  if (name === 'support') return SUPPORT[Number(value)] ?? `${value}`
  if (name === 'reason') {
    const reasons: readonly string[] = of === 'WorkerSlashed' ? SLASH_REASONS : SKIP_REASONS
    return reasons[Number(value)] ?? `${value}`
  }
  if (AMOUNTS.test(name) && contract === 'USDG') return usdgOfUnits(value)
  if (AMOUNTS.test(name) && GOVERNANCE.has(contract)) return rcompute(value)
  return value.toString()
}

const sayTime = (seconds: bigint): string => {
  if (seconds === 0n) return 'none'
  return seconds > TIME_MAX ? 'never' : preciseOf(seconds)
}

const RCOMPUTE_DECIMALS = 18
const THOUSANDTH = 10n ** 15n
/** Of the governance token, to the thousandth and never said to be more than it is. */
export function rcompute(units: bigint): string {
  if (units > 0n && units < THOUSANDTH) return 'less than 0.001 RCOMPUTE'
  return exactRcompute(units - (units % THOUSANDTH))
}

/** The same to the last unit, where somebody is to give an amount or has given it. */
export function exactRcompute(units: bigint): string {
  const [whole = '0', rest] = formatUnits(units, RCOMPUTE_DECIMALS).split('.')
  return `${BigInt(whole).toLocaleString('en')}${rest === undefined ? '' : `.${rest}`} RCOMPUTE`
}

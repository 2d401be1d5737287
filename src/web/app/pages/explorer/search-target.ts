import { isJobId } from '../../chain/job-id.ts'

export type SearchTarget =
  | { readonly to: '/explorer/tx/$hash'; readonly params: { readonly hash: string } }
  | { readonly to: '/explorer/block/$block'; readonly params: { readonly block: string } }
  | { readonly to: '/explorer/address/$address'; readonly params: { readonly address: string } }
  | { readonly to: '/explorer/job/$id'; readonly params: { readonly id: string } }

/** Which page shows what somebody typed; undefined: none does. */
export function searchTarget(typed: string): SearchTarget | undefined {
  const text = typed.trim().replace(/^chatcmpl-/, '')
  const lower = text.toLowerCase()
  if (/^0x[0-9a-f]{64}$/.test(lower)) return { to: '/explorer/tx/$hash', params: { hash: lower } }
  if (/^0x[0-9a-f]{40}$/.test(lower)) {
    return { to: '/explorer/address/$address', params: { address: lower } }
  }
  if (isJobId(lower)) return { to: '/explorer/job/$id', params: { id: lower } }
  const number = text.replaceAll(',', '')
  if (/^\d{1,15}$/.test(number)) {
    return { to: '/explorer/block/$block', params: { block: String(Number(number)) } }
  }
  return undefined
}

import { Type } from '@sinclair/typebox'
import { address, jobId, txHash } from '../../api/schemas/forms.ts'
import { WRITTEN } from './written-names.ts'

const HEADERS = WRITTEN.headers

/** Headers of answers, by the name under which the documentation refers to them. */
export const RESPONSE_HEADERS = {
  'x-request-id': Type.String({
    description:
      'Names this request in our logs; quote it when you report a problem. Your own is taken over when you send one.',
  }),
  [HEADERS.jobId]: jobId('Job created by the request, or that the answer speaks of.'),
  [HEADERS.escrowTx]: txHash('Transaction that locked the escrow.'),
  [HEADERS.settlementTx]: txHash(
    'Settlement transaction, once it is sent. A stream brings it as a trailer and in the `svc` object of its last chunk.',
  ),
  [HEADERS.worker]: address('On-chain address of the serving worker.'),
  [HEADERS.creditsRemaining]: Type.String({
    pattern: '^[0-9]+$',
    description:
      'Balance after this request is accounted for, in credits. Left out where it cannot be read within a second.',
  }),
  [HEADERS.traceId]: Type.String({
    pattern: '^[0-9a-f]{32}$',
    description:
      'Of a request that is traced: the trace, that of your own `traceparent` where you sent one. Quote it when you report a problem.',
  }),
  'retry-after': Type.String({
    pattern: '^[0-9]+$',
    description: 'Seconds to wait before trying again, at most 60.',
  }),
  'www-authenticate': Type.String({ description: 'Always `Bearer`.' }),
  'x-should-retry': Type.String({
    description: '`false`: tells clients that retry conflicts by themselves not to.',
  }),
  allow: Type.String({ description: 'Methods of this path.' }),
} as const

export type HeaderName = keyof typeof RESPONSE_HEADERS
export const JOB_HEADERS: readonly HeaderName[] = [
  HEADERS.jobId,
  HEADERS.escrowTx,
  HEADERS.settlementTx,
  HEADERS.worker,
]
/** Headers that are never missing from an answer that lists them. */
export const ALWAYS_THERE: ReadonlySet<HeaderName> = new Set([
  'x-request-id',
  'retry-after',
  'www-authenticate',
  'allow',
])

/** As an answer of the document lists them. */
export const headerRefs = (names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

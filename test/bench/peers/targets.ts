import { percentile, type Run } from '../drive.ts'
import type { Streamed } from './streams.ts'

export interface Costs {
  readonly run: Run
  readonly cpuMs: Readonly<Record<string, number>>
  /** Of all roles of the service: without chain and worker. */
  readonly serviceMs: number
}

/** `chainMs`: what a lock's transaction took meanwhile, on the mean; 0 where nothing is locked. */
export type FirstToken = Run & { readonly chainMs: number }

export interface Measured {
  readonly name: string
  readonly plain: Costs
  /** Answered, and in no settlement five seconds after the plain load. */
  readonly unsettled: number
  /** At 1 caller and at 64. */
  readonly firstToken: readonly FirstToken[]
  /** 200 at once, and 1 000. */
  readonly streams: readonly (Streamed & { readonly serviceMsPerStream: number })[]
}

export interface Paid {
  readonly failed: number
  readonly seconds: number
  /** Of all its processes and the chain. */
  readonly cpuMs: number
}

export interface Figures {
  readonly direct: readonly Run[]
  readonly proxy: Measured
  readonly portkey: Measured
  readonly ours: Measured
  readonly paid: Paid
  readonly paidRequests: number
}

export interface Target {
  readonly what: string
  readonly asked: string
  readonly measured: string
  readonly kept: 'yes' | 'no'
}

/** What is asked of this network beside its peers, each with what one run has shown. Pure. */
export function targets(figures: Figures): readonly Target[] {
  const { proxy, portkey, ours } = figures
  const [few, many] = [ours.streams[0]!, ours.streams[1]!]
  const portkeys = portkey.streams
  return [
    atMost(
      "CPU of a plain request, of Portkey's",
      ours.plain.serviceMs / portkey.plain.serviceMs,
      0.45,
    ),
    atLeast(
      "plain requests/s, of Portkey's",
      perSecond(ours.plain.run) / perSecond(portkey.plain.run),
      3,
    ),
    atMost(
      "CPU of a stream of 200, of Portkey's",
      few.serviceMsPerStream / portkeys[0]!.serviceMsPerStream,
      1,
    ),
    atLeast(
      "tokens/s of 1 000 streams, of the proxy's",
      many.tokensPerSecond / proxy.streams[1]!.tokensPerSecond,
      0.8,
    ),
    atMost("p99 gap of 1 000 streams, of Portkey's", many.gapMs.p99 / portkeys[1]!.gapMs.p99, 0.4),
    atMost('first token at 1, ms over upstream and chain', firstTokenOver(figures, 0), 4),
    atMost('first token at 64, ms over upstream and chain', firstTokenOver(figures, 1), 8),
    ...paidTargets(figures),
    atMost('answered and unsettled 5 s after a load', ours.unsettled, 0),
  ]
}

function paidTargets({ ours: { plain }, paid, paidRequests }: Figures): readonly Target[] {
  const done = paidRequests - paid.failed
  const cpuMs = plain.serviceMs + (plain.cpuMs.chain ?? 0)
  return [
    atLeast("paid requests/s, of x402's", perSecond(plain.run) / (done / paid.seconds), 20),
    atMost('failed payments', plain.run.failed, 0),
    atMost("CPU of a paid request with the chain, of x402's", cpuMs / (paid.cpuMs / done), 0.1),
  ]
}

/** Medians; what the chain takes is a mean, as figures of a lane tell no more. */
function firstTokenOver({ direct, ours }: Figures, at: number): number {
  const [run, upstream] = [ours.firstToken[at]!, direct[at]!]
  const p50 = ({ firstTokenMs }: Run) => percentile(firstTokenMs, 0.5)
  return p50(run) - p50(upstream) - run.chainMs
}

const perSecond = ({ requests, failed, seconds }: Run): number => (requests - failed) / seconds

const atMost = (what: string, measured: number, limit: number): Target =>
  target(what, `≤ ${limit}`, measured, measured <= limit)
const atLeast = (what: string, measured: number, limit: number): Target =>
  target(what, `≥ ${limit}`, measured, measured >= limit)

const target = (what: string, asked: string, measured: number, kept: boolean): Target => ({
  what,
  asked,
  measured: Number.isInteger(measured) ? String(measured) : measured.toFixed(3),
  kept: kept ? 'yes' : 'no',
})

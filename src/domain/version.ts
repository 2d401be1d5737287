/** Of the operator's agent: told to pools, and by pools to agents that are behind. */
export const AGENT_VERSION = '0.1.0'

/** Versions of the worker protocol, both ends included. */
export interface Protocols {
  readonly min: number
  readonly max: number
}

/** What this version speaks, pool and agent alike. What each version brought: worker.proto. */
export const PROTOCOLS: Protocols = { min: 1, max: 2 }

/** The highest that both sides speak; undefined: there is none. */
export function commonProtocol(a: Protocols, b: Protocols): number | undefined {
  const highest = Math.min(a.max, b.max)
  return highest >= Math.max(a.min, b.min) ? highest : undefined
}

/** For people. */
export const toldProtocols = ({ min, max }: Protocols): string =>
  min === max ? `${max}` : `${min} to ${max}`

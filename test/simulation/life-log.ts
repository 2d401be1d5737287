import type { Log } from '../../src/telemetry/log.ts'
import { textOf } from './text-of.ts'
import type { Node, World } from './world.ts'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** Writes what a process logs into the history. */
export function makeLifeLog(world: World, node: Pick<Node, 'name' | 'alive'>): Log {
  const write = (level: string) => (about: unknown, message?: string) => {
    if (!node.alive) return
    const text = message ?? (typeof about === 'string' ? about : '')
    const rest = typeof about === 'object' && about !== null ? detailsOf(about) : ''
    world.history.add(node.name, `${level} ${text}${rest}`)
  }
  const log = Object.fromEntries(LEVELS.map((level) => [level, write(level)]))
  return { ...log, level: 'debug', child: () => log } as unknown as Log
}

function detailsOf(about: object): string {
  const parts = Object.entries(about).map(([name, value]) => `${name}=${shown(value)}`)
  return parts.length > 0 ? `  ${parts.join(' ')}` : ''
}

function shown(value: unknown): string {
  if (value instanceof Error) return textOf(value)
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? `${inner}` : inner))
    : String(value)
}

import { pause } from '../until.ts'
import { auditFlaws } from './audit.ts'
import { flawsOf } from './checks.ts'
import { hasLeft, type Kept, keep, nameOfGot } from './client.ts'
import type { Fault, Turn } from './faults/fault.ts'
import type { Load } from './load.ts'
import type { World } from './world.ts'

/** What one run of one fault came to. */
export interface Run {
  readonly fault: string
  readonly turn: number
  readonly startedAt: string
  /** From the end of the fault (of a death: from the death) until all edges answer whole. */
  readonly recoveryMs: number
  readonly note: string | undefined
  readonly calls: Readonly<Record<string, number>>
  /** How often each message of an error was told. */
  readonly messages: Readonly<Record<string, number>>
  /** Calls under way between fault and recovery that brought no whole answer; leavers aside. */
  readonly affected: number
  readonly auditMs: number
  /** Empty: the books are right, and every answer fits chain and job. */
  readonly flaws: readonly string[]
}

const BEFORE_MS = 700
const RECOVERY_MS = 90_000

/** Under load: the fault, the way back, the audit, and then every answer that was got since the last run. */
export async function oneRun(world: World, load: Load, fault: Fault, turn: Turn): Promise<Run> {
  const startedAt = new Date().toISOString()
  load.goOn()
  await pause(BEFORE_MS)
  const began = performance.now()
  const flaws: string[] = []
  let recoveryMs = Number.NaN
  let note: string | undefined
  try {
    const undone = await fault.run(world, turn)
    note = undone.note
    recoveryMs = await recovered(world, undone.from)
    await undone.back?.()
    await pause(BEFORE_MS)
  } catch (error) {
    flaws.push(`no way back: ${String(error)}`)
  }
  const over = performance.now()
  await load.rest()
  const kept = load.take()
  const auditBegan = performance.now()
  flaws.push(...(await auditFlaws(world.network)))
  const auditMs = performance.now() - auditBegan
  flaws.push(...(await flawsOf(world, kept, fault.mayLose ?? []).catch((e) => [String(e)])))
  return {
    ...{ fault: fault.name, turn: turn.index, startedAt, recoveryMs, note, auditMs, flaws },
    calls: countBy(kept, nameOfGot),
    messages: countBy(
      kept.filter(({ got }) => 'error' in got),
      ({ got }) => ('error' in got ? `${got.error.code}: ${got.error.message}` : ''),
    ),
    affected: kept.filter((call) => isAffected(call, began, over)).length,
  }
}

/** @returns ms from `from` until two answers of each edge, asked after it, are whole at once */
async function recovered(world: World, from: number): Promise<number> {
  let last = ''
  while (performance.now() - from < RECOVERY_MS) {
    const asked = world.network.base_urls.flatMap((_, edge) => [
      probe(world, edge),
      probe(world, edge),
    ])
    const calls = await Promise.all(asked)
    if (calls.every(({ got }) => got.type === 'whole')) return performance.now() - from
    last = calls.map(nameOfGot).join(', ')
    await pause(100)
  }
  throw new Error(`no answers ${RECOVERY_MS} ms after: ${last}`)
}

const probe = (world: World, edge: number): Promise<Kept> =>
  keep(world.callers[0]!, {
    ...{ what: 'probe', model: 'Qwen/Qwen3-8B', stream: false, maxTokens: 1, edge },
    leavesAfterMs: 20_000,
  })

function isAffected(call: Kept, began: number, over: number): boolean {
  if (call.got.type === 'whole' || hasLeft(call)) return false
  return call.askedAt < over && call.endedAt > began
}

function countBy(kept: readonly Kept[], name: (call: Kept) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const call of kept) counts[name(call)] = (counts[name(call)] ?? 0) + 1
  return counts
}

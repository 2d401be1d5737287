import { readFileSync } from 'node:fs'
import { residentBytes } from '../bench/resources.ts'
import type { Network } from '../network/network.ts'
import { table } from './report.ts'

/** What each process holds, seen again and again over its life. */
export interface MemoryWatch {
  /** One line a process, of its longest life. */
  table(): string
  lives(): readonly Life[]
  stop(): void
}

export interface Life {
  readonly name: string
  readonly pid: number
  readonly samples: { readonly at: number; readonly bytes: number }[]
}

const LOOK_MS = 5_000
/** Compilers warm up and buffers fill; what comes after should be flat. */
const WARM_MS = 120_000
const MEBIBYTE = 2 ** 20

/** @param network the one that runs now */
export function watchMemory(network: () => Network | undefined): MemoryWatch {
  const lives = new Map<number, Life>()
  const look = () => {
    for (const { name, pid } of network()?.read().processes ?? []) {
      const life = lives.get(pid) ?? { name, pid, samples: [] }
      const bytes = bytesOf(pid)
      if (bytes === undefined) continue
      life.samples.push({ at: performance.now(), bytes })
      lives.set(pid, life)
    }
  }
  const timer = setInterval(look, LOOK_MS)
  return {
    table: () => lifeTable([...lives.values()]),
    lives: () => [...lives.values()],
    stop: () => clearInterval(timer),
  }
}

/**
 * From the system's own files where it has them: `ps` for each process, waited for, would hold up the
 * connections that go through this one. Undefined: it has ended, and the launcher has not written so yet.
 */
function bytesOf(pid: number): number | undefined {
  try {
    if (process.platform !== 'linux') return residentBytes(pid)
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
  } catch {
    return undefined
  }
}

function lifeTable(lives: readonly Life[]): string {
  const names = [...new Set(lives.map(({ name }) => name))].sort()
  return table([
    [
      'process',
      'lives',
      'longest',
      'at its 2nd minute',
      'middle',
      'end',
      'most',
      'MiB/h after that',
      '',
    ],
    ...names.map((name) =>
      lifeRow(
        name,
        lives.filter((life) => life.name === name),
      ),
    ),
  ])
}

function lifeRow(name: string, lives: readonly Life[]): string[] {
  const longest = [...lives].sort((a, b) => span(b) - span(a))[0]!
  const { samples } = longest
  const began = samples[0]!.at
  const warm = samples.filter(({ at }) => at - began >= WARM_MS)
  const shown = warm.length > 0 ? warm : samples
  const mebibytes = (bytes: number | undefined) => `${Math.round((bytes ?? 0) / MEBIBYTE)}`
  return [
    name,
    String(lives.length),
    `${(span(longest) / 60_000).toFixed(1)} min`,
    mebibytes(shown[0]?.bytes),
    mebibytes(shown[Math.floor(shown.length / 2)]?.bytes),
    mebibytes(shown.at(-1)?.bytes),
    mebibytes(Math.max(...lives.flatMap((life) => life.samples.map(({ bytes }) => bytes)))),
    warm.length > 12 ? (slope(warm) / MEBIBYTE).toFixed(0) : '-',
    '',
  ]
}

const span = ({ samples }: Life): number => samples.at(-1)!.at - samples[0]!.at

/** Bytes an hour, by least squares. */
function slope(samples: Life['samples']): number {
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const at = mean(samples.map((sample) => sample.at))
  const bytes = mean(samples.map((sample) => sample.bytes))
  const over = samples.reduce((sum, each) => sum + (each.at - at) * (each.bytes - bytes), 0)
  const under = samples.reduce((sum, each) => sum + (each.at - at) ** 2, 0)
  return (over / under) * 3_600_000
}

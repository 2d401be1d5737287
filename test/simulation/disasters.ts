import type { DurationMs } from '../../src/domain/time.ts'
import type { Kernel } from './kernel.ts'
import type { Processes } from './processes.ts'
import type { Node, Service } from './world.ts'

const KINDS = ['kill', 'pause', 'cut', 'outage', 'replace', 'forget', 'stall', 'clock'] as const
const MOST = 8
const TWO_AT_ONCE = 0.15
const AT_ONCE_MS = 50
/** Longer than others believe that a silent host lives; shorter than a job's window. */
const STALL_MS = [5_000, 10_000] as const
const STALL_WITHIN_MS = 500
const SERVICES: readonly Service[] = ['nats', 'nats', 'redis', 'chain']

interface Plan {
  readonly withinMs: DurationMs
  forget(): void
  /** Calls once, after the next append to a job's journal, with the host that made it. */
  nextAppend(call: (host: Node | undefined) => void): void
}

/** What befalls processes and servers from without, at moments that the seed chooses. */
export function planDisasters(
  kernel: Kernel,
  processes: Processes,
  { withinMs, forget, nextAppend }: Plan,
): void {
  const { random, faults } = kernel
  // Some lives know some kinds of them only.
  const kinds = KINDS.filter(() => random.chance(0.5))
  if (kinds.length === 0) return
  /**
   * A host stands still while a job is under way, until others have taken its jobs over: then it goes on
   * with what it has heard meanwhile, as if it still owned them.
   */
  const stall = () => {
    nextAppend((host) =>
      kernel.after(random.next() * STALL_WITHIN_MS, () => {
        if (faults.healing) return
        const node = random.chance(0.5) ? host : processes.node(random.pick(processes.names))
        node?.pause()
        kernel.after(random.between(...STALL_MS), () => node?.resume())
      }),
    )
  }
  const befall = () => {
    if (faults.healing) return
    const name = random.pick(processes.names)
    const node = processes.node(name)
    const spanMs = random.pick([200, 1_000, 4_000, 8_000]) * (0.5 + random.next())
    switch (random.pick(kinds)) {
      case 'kill':
        return node?.kill()
      case 'pause':
        node?.pause()
        kernel.after(spanMs, () => node?.resume())
        return
      case 'cut':
        return void kernel.after(spanMs, faults.separate(name, random.pick(SERVICES)))
      case 'outage': {
        const service = random.pick(SERVICES)
        const joins = processes.names.map((each) => faults.separate(each, service))
        kernel.after(spanMs, () => {
          for (const join of joins) join()
        })
        return
      }
      case 'replace':
        return processes.replace(name)
      case 'forget':
        return forget()
      case 'stall':
        return stall()
      case 'clock':
        return node?.setClock(random.between(-2_000, 2_000))
    }
  }
  for (let left = random.between(0, MOST); left > 0; left--) {
    const at = random.next() * withinMs
    kernel.after(at, befall)
    if (random.chance(TWO_AT_ONCE)) kernel.after(at + random.next() * AT_ONCE_MS, befall)
  }
}

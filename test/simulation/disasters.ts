import type { DurationMs } from '../../src/domain/time.ts'
import type { Kernel } from './kernel.ts'
import type { Processes } from './processes.ts'
import type { Service } from './world.ts'

const KINDS = ['kill', 'pause', 'cut', 'outage', 'replace', 'forget'] as const
const MOST = 8
const SERVICES: readonly Service[] = ['nats', 'nats', 'redis', 'chain']

/** What befalls processes and servers from without, at moments that the seed chooses. */
export function planDisasters(
  kernel: Kernel,
  processes: Processes,
  { withinMs, forget }: { readonly withinMs: DurationMs; forget(): void },
): void {
  const { random, faults } = kernel
  // Some lives know some kinds of them only.
  const kinds = KINDS.filter(() => random.chance(0.5))
  if (kinds.length === 0) return
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
    }
  }
  for (let left = random.between(0, MOST); left > 0; left--) {
    kernel.after(random.next() * withinMs, befall)
  }
}

import { type Address, type JobId, toAddress, toJobId } from '../../../src/domain/ids.ts'
import { toUnixMs, type UnixMs } from '../../../src/domain/time.ts'
import type { Outcome } from '../../../src/pool/registry/conduct.ts'
import { decide, type RegistryCommand } from '../../../src/pool/registry/decide.ts'
import { evolve } from '../../../src/pool/registry/evolve.ts'
import { emptyRegistry, type Registry } from '../../../src/pool/registry/state.ts'

export const A = toAddress(`0x${'aa'.repeat(20)}`)
export const B = toAddress(`0x${'bb'.repeat(20)}`)
/** Wallets. */
export const W1 = toAddress(`0x${'01'.repeat(20)}`)
export const W2 = toAddress(`0x${'02'.repeat(20)}`)
export const NOW = toUnixMs(1_000_000)
export const later = (ms: number): UnixMs => toUnixMs(NOW + ms)
export const job = (n: number): JobId => toJobId(`job_${String(n).padStart(26, '0')}`)

/** A registry that is told things; what follows comes back as short lines. */
export class RegistryHouse {
  readonly registry: Registry = emptyRegistry()
  picks: number[] = []

  say(command: RegistryCommand): string[] {
    const events = decide(this.registry, command, (below) => (this.picks.shift() ?? 0) % below)
    for (const event of events) evolve(this.registry, event)
    return events.map((event) => {
      const jobId = 'jobId' in event ? ` ${Number(event.jobId.slice(4))}` : ''
      const address = 'address' in event ? ` ${event.address.slice(2, 3)}` : ''
      return `${event.type}${jobId}${address}`
    })
  }

  join(address: Address, slots = 1, models: readonly string[] = ['m'], at = NOW): string[] {
    const served = new Map(models.map((model) => [model, 4_096]))
    const profile = { address, workerId: 1, models: served, slots }
    return this.say({ type: 'Join', profile, at })
  }
  place(
    n: number,
    exclude: readonly Address[] = [],
    model = 'm',
    { at = NOW, wallet = W1, mayWait = true } = {},
  ): string[] {
    const placement = { jobId: job(n), wallet, model, exclude: new Set(exclude) }
    return this.say({ type: 'Place', placement, mayWait, at })
  }
  free(address: Address, n: number, outcome: Outcome = 'finished', { at = NOW, wallet = W1 } = {}) {
    const end = { outcome, wallet, why: 'its engine failed', at }
    return this.say({ type: 'Free', address, jobId: job(n), end })
  }
  see = (address: Address, firstTokenMs: number, model = 'm') =>
    this.say({ type: 'SeeFirstToken', address, model, firstTokenMs })
  leave = (address: Address) => this.say({ type: 'Leave', address })
}

import type { DurationMs } from '../../src/domain/time.ts'
import type { Witness } from './callers/witness.ts'
import type { House } from './house.ts'
import type { Kernel } from './kernel.ts'
import type { Processes } from './processes.ts'

interface Options {
  readonly house: House
  readonly witness: Witness
  readonly withinMs: DurationMs
}

const SHARE = 0.15
const MOST = 3
/** An answer of Redis, and what is said upon it, take about as long. */
const AFTER_RESERVATION_MS = 4
/** As long as a proof takes to its pool, and the report of it to the job. */
const AFTER_PROOF_MS = 8
/** Of the window of a job, so long all hosts stand still. */
const HALT = [0.7, 1.4] as const

/** Disasters that wait for their moment: chance alone meets it in one of thousands of lives. */
export function planAims(
  kernel: Kernel,
  processes: Processes,
  { house, witness, withinMs }: Options,
): void {
  const { random, faults } = kernel
  if (!random.chance(SHARE)) return
  const among = (kind: string) =>
    processes.names.flatMap((name) => (name.startsWith(kind) && processes.node(name)) || [])
  const soon = (mostMs: DurationMs, act: () => void) =>
    kernel.after(random.next() * mostMs, () => !faults.healing && act())

  /** An edge that has set credits aside, and perhaps not said so to anybody. */
  const edgeDies = () =>
    house.redis.onNextOpened((by) => soon(AFTER_RESERVATION_MS, () => by.kill()))
  /** A pool that has the proof of an answer, and perhaps not reported it. */
  const poolDies = () =>
    witness.onNextSigned(() =>
      soon(AFTER_PROOF_MS, () => {
        for (const pool of among('pool-')) if (random.chance(0.7)) pool.kill()
      }),
    )
  /** Nobody looks after a job at its deadline; all come back at about one moment. */
  const hostsHalt = () =>
    house.nats.stream('JOB').onNextStored(() =>
      soon(house.jobWindowMs / 2, () => {
        const spanMs = house.jobWindowMs * (HALT[0] + random.next() * (HALT[1] - HALT[0]))
        for (const host of among('host-')) {
          host.pause()
          kernel.after(spanMs + random.next() * 1_000, () => host.resume())
        }
      }),
    )

  // Where jobs have minutes, a halt would cost as much as many other lives.
  const aims = [edgeDies, poolDies, house.isHasty ? hostsHalt : edgeDies]
  for (let n = random.few(1, MOST); n > 0; n--) {
    kernel.after(random.next() * withinMs, random.pick(aims))
  }
}

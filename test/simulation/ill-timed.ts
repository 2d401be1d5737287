import type { BucketName } from '../../src/bus/streams/streams.ts'
import { toAddress } from '../../src/domain/ids.ts'
import type { DurationMs } from '../../src/domain/time.ts'
import type { House } from './house.ts'
import type { Kernel } from './kernel.ts'
import type { Processes } from './processes.ts'

interface Options {
  readonly house: House
  readonly withinMs: DurationMs
  /** Redis loses what it knows. */
  forget(): void
  /** The escrow takes no locks for so long. */
  pause(lastsMs: DurationMs): void
}

/** `<job> <wallet>`: who has credits set aside. */
const OPEN_RESERVATIONS = 'open'
const MOMENTS = 0.12
const MOST = 3
/** Until a lock is in a block, and its job with a worker, it is about as long. */
const WITHIN_A_JOB_MS = 4_000
const AT_ONCE_MS = 50
const PAUSED_MS = [500, 10_000] as const
/** Longer than others believe that a silent host lives. */
const STALL_MS = [5_000, 10_000] as const
const PURGED: readonly BucketName[] = ['PARTS', 'PARTS', 'CURSORS', 'ADMITTED']
const BETHINKS = 0.5
const BETHINKS_MS = [200, 6_000] as const

/** In some lives what people and Redis do falls into the middle of a job, and of another trouble. */
export function planIllTimed(kernel: Kernel, processes: Processes, options: Options): void {
  const { random, faults } = kernel
  const { house, withinMs, forget, pause } = options
  if (!random.chance(MOMENTS)) return
  const soon = (mostMs: DurationMs, act: () => void) =>
    kernel.after(random.next() * mostMs, () => !faults.healing && act())
  const nextAppend = (act: () => void) => house.nats.stream('JOB').onNextStored(act)

  /** Once with the reservation, and once more while its job runs. */
  const forgetsTwice = () =>
    house.redis.onNextOpened(() =>
      soon(AT_ONCE_MS, () => {
        forget()
        nextAppend(() => soon(WITHIN_A_JOB_MS, forget))
      }),
    )
  /** The wallet of a job that runs takes out all that is left, and perhaps thinks better of it. */
  const takesAllOut = () =>
    house.redis.onNextOpened(() => soon(WITHIN_A_JOB_MS, () => takeAllOut(kernel, house)))
  /** The escrow is shut, and open again, while hosts hand their jobs over. */
  const shutsAmidChange = () =>
    nextAppend(() =>
      soon(WITHIN_A_JOB_MS, () => {
        const lastsMs = random.between(...PAUSED_MS)
        pause(lastsMs)
        for (const afterMs of [0, lastsMs]) {
          kernel.after(afterMs, () => soon(WITHIN_A_JOB_MS, () => changeHost(kernel, processes)))
        }
      }),
    )
  /** What hosts and pools can find out again. */
  const losesBucket = () =>
    nextAppend(() =>
      soon(WITHIN_A_JOB_MS, () => {
        const name = random.pick(PURGED)
        kernel.history.add('world', `purges ${name}`)
        house.nats.bucket(name).purge()
        if (random.chance(0.5)) soon(WITHIN_A_JOB_MS, () => changeHost(kernel, processes))
      }),
    )
  const moments = [forgetsTwice, takesAllOut, takesAllOut, shutsAmidChange, losesBucket]
  for (let n = random.few(1, MOST); n > 0; n--) {
    kernel.after(random.next() * withinMs, random.pick(moments))
  }
}

/** Of the newest job that has credits set aside, whatever else is. */
function takeAllOut(kernel: Kernel, { redis, settlement: { chain } }: House): void {
  const { random } = kernel
  const [entry] = [...redis.data.sorted(OPEN_RESERVATIONS).keys()].slice(-1)
  if (entry === undefined) return
  const wallet = toAddress(entry.slice(entry.indexOf(' ') + 1))
  const { available } = chain.head.state.account(wallet)
  if (available === 0n) return
  chain.act(wallet, { type: 'requestWithdrawal', credits: available })
  if (!random.chance(BETHINKS)) return
  const act = () => chain.act(wallet, { type: 'cancelWithdrawal' })
  kernel.after(random.between(...BETHINKS_MS), act)
}

/** It dies, is replaced, or stands still for longer than others believe that it lives. */
function changeHost(kernel: Kernel, processes: Processes): void {
  const { random } = kernel
  const name = random.pick(processes.names.filter((each) => each.startsWith('host-')))
  const node = processes.node(name)
  const kind = random.pick(['kill', 'replace', 'stall'] as const)
  if (kind === 'kill') node?.kill()
  else if (kind === 'replace') processes.replace(name)
  else {
    node?.pause()
    kernel.after(random.between(...STALL_MS), () => node?.resume())
  }
}

import type { Core } from './core.ts'
import type { Chaos } from './world.ts'

interface Plan {
  lostRequest: number
  lostAnswer: number
  duplicate: number
  crashBefore: number
  crashAfter: number
  reorder: number
  /** Milliseconds; of the slow ones, and how many are slow. */
  slowMs: number
  slow: number
}

const NONE: Plan = {
  lostRequest: 0,
  lostAnswer: 0,
  duplicate: 0,
  crashBefore: 0,
  crashAfter: 0,
  reorder: 0,
  slowMs: 0,
  slow: 0,
}
/** How far the clock of a process may be off. */
const SKEW_MS = [40, 40, 40, 2_000] as const
const USUAL_MS = [0.2, 1.5] as const

/**
 * What goes wrong by chance in one life. Each kind of fault is on in some lives only: where all of
 * them are, one hides what another would show.
 */
export function makeChaos(kernel: Core): Chaos {
  const { random } = kernel
  const some = (share: number, most: number) => (random.chance(share) ? random.next() * most : 0)
  const planned: Plan = {
    lostRequest: some(0.4, 0.02),
    lostAnswer: some(0.4, 0.02),
    duplicate: some(0.4, 0.05),
    crashBefore: some(0.4, 0.002),
    crashAfter: some(0.5, 0.004),
    reorder: some(0.3, 0.1),
    slowMs: random.pick([5, 50, 500]),
    slow: some(0.5, 0.1),
  }
  const skewMs = random.pick(SKEW_MS)
  let plan = NONE
  const cuts = new Map<string, number>()
  const watchers: ((a: string, b: string, isCut: boolean) => void)[] = []
  const tell = (a: string, b: string, isCut: boolean) => {
    kernel.history.add('network', `${a} ${isCut ? 'is cut off from' : 'reaches'} ${b}`)
    for (const call of watchers) call(a, b, isCut)
  }
  const change = (a: string, b: string, by: number) => {
    const link = `${a} ${b}`
    const before = cuts.get(link) ?? 0
    cuts.set(link, before + by)
    if (before === 0) tell(a, b, true)
    if (before + by === 0) tell(a, b, false)
  }
  let healing = false

  return {
    get healing() {
      return healing
    },
    skewMs,
    get lostRequest() {
      return plan.lostRequest
    },
    get lostAnswer() {
      return plan.lostAnswer
    },
    get duplicate() {
      return plan.duplicate
    },
    get crashBefore() {
      return plan.crashBefore
    },
    get crashAfter() {
      return plan.crashAfter
    },
    get reorder() {
      return plan.reorder
    },
    cut: (a, b) =>
      cuts.size > 0 && ((cuts.get(`${a} ${b}`) ?? 0) > 0 || (cuts.get(`${b} ${a}`) ?? 0) > 0),
    latency: () => {
      const usual = USUAL_MS[0] + random.next() * (USUAL_MS[1] - USUAL_MS[0])
      return random.chance(plan.slow) ? usual + random.next() * plan.slowMs : usual
    },
    separate: (a, b) => {
      if (healing) return () => {}
      let isSeparate = true
      change(a, b, 1)
      return () => {
        if (isSeparate && !healing) change(a, b, -1)
        isSeparate = false
      }
    },
    onCut: (call) => watchers.push(call),
    begin: () => {
      if (!healing) plan = planned
    },
    calm: () => {
      plan = NONE
    },
    heal: () => {
      healing = true
      plan = NONE
      const open = [...cuts].filter(([, count]) => count > 0)
      cuts.clear()
      for (const [link] of open) {
        const [a, b] = link.split(' ')
        tell(a!, b!, false)
      }
    },
  }
}

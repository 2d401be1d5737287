import type { DurationMs } from '../../src/domain/time.ts'

/** Work that is done for many, none of whom may keep the others waiting. */
export interface Lanes<Item> {
  /** @returns false where this key has enough before it: try again after `patienceMs` */
  push(key: string, item: Item): boolean
  /** About how long what is put back now has before it. */
  patienceMs(key: string): DurationMs
  /** What has not begun. Nothing begins any more. */
  stop(): readonly Item[]
  readonly held: number
}

interface Lane<Item> {
  readonly waiting: Item[]
  running: number
  /** Of what was done of late. */
  averageMs: DurationMs
  /** Put back since it last ran empty. */
  behind: number
}

interface Options<Item> {
  /** Of all keys together, those under way and those that wait. */
  readonly heldMost: number
  /** @returns how long the other side took */
  run(key: string, item: Item): Promise<DurationMs>
}

const RUNNING_MOST = 4
/** An endpoint that lets nearly all its time pass is asked one thing at a time. */
const HANGS_MS = 8_000
const SLOW_MS = 2_000
/** In all: of them at most half for slow ones. */
const RUNNING_IN_ALL = 2_000
/** What a lane holds here is what it can do in this time. */
const BACKLOG_MS = 3_000
const BACKLOG_LEAST = 4
const BACKLOG_MOST = 500
/** Of the room that is left, so much for one lane: what hangs is told from what is quick only after a while. */
const SHARE_OF_ROOM = 1 / 8
const IDLE_LANES_MOST = 10_000

/** A lane for each key: a few at a time, and a short line of those that come next. */
export function makeLanes<Item>({ heldMost, run }: Options<Item>): Lanes<Item> {
  const lanes = new Map<string, Lane<Item>>()
  /** Keys that have something to do and wait for others: quick ones, slow ones. */
  const starved = [new Set<string>(), new Set<string>()] as const
  let stopped = false
  let running = 0
  let runningSlow = 0
  let waiting = 0

  const begin = (key: string, lane: Lane<Item>): void => {
    const item = lane.waiting.shift()
    if (item === undefined) return
    const slow = isSlow(lane)
    waiting--
    lane.running++
    running++
    if (slow) runningSlow++
    void run(key, item).then((tookMs) => {
      lane.averageMs = (lane.averageMs + tookMs) / 2
      lane.running--
      running--
      if (slow) runningSlow--
      // What was put back comes again and again: counted each time, it would wait ever longer for an idle lane.
      if (lane.running === 0 && lane.waiting.length === 0) lane.behind = 0
      pump(key, lane)
      pumpStarved()
    })
  }
  const mayBegin = (lane: Lane<Item>): boolean =>
    running < RUNNING_IN_ALL && !(isSlow(lane) && runningSlow >= RUNNING_IN_ALL / 2)
  const beginsAtOnce = (lane: Lane<Item>): boolean =>
    lane.waiting.length === 0 && lane.running < atOnce(lane) && mayBegin(lane)
  const mayWait = (lane: Lane<Item>): boolean => {
    const share = Math.floor((heldMost - running - waiting) * SHARE_OF_ROOM)
    return lane.waiting.length < Math.min(share, backlog(lane))
  }
  const pump = (key: string, lane: Lane<Item>): void => {
    for (const keys of starved) keys.delete(key)
    while (!stopped && lane.waiting.length > 0 && lane.running < atOnce(lane)) {
      if (!mayBegin(lane)) {
        starved[isSlow(lane) ? 1 : 0].add(key)
        return
      }
      begin(key, lane)
    }
  }
  const pumpStarved = (): void => {
    for (const keys of starved) {
      for (const key of keys) {
        const lane = laneOf(key)
        if (!mayBegin(lane)) break
        pump(key, lane)
      }
    }
  }
  const laneOf = (key: string): Lane<Item> => {
    const lane = lanes.get(key) ?? { waiting: [], running: 0, averageMs: 0, behind: 0 }
    lanes.delete(key)
    lanes.set(key, lane)
    if (lanes.size > IDLE_LANES_MOST) forgetOne()
    return lane
  }
  const forgetOne = (): void => {
    for (const [key, lane] of lanes) {
      if (lane.running > 0 || lane.waiting.length > 0) continue
      lanes.delete(key)
      return
    }
  }

  return {
    push: (key, item) => {
      const lane = laneOf(key)
      if (!beginsAtOnce(lane) && !mayWait(lane)) {
        lane.behind++
        return false
      }
      lane.behind = Math.max(0, lane.behind - 1)
      lane.waiting.push(item)
      waiting++
      pump(key, lane)
      return true
    },
    patienceMs: (key) => {
      const lane = laneOf(key)
      return (lane.behind * lane.averageMs) / atOnce(lane)
    },
    stop: () => {
      stopped = true
      waiting = 0
      return [...lanes.values()].flatMap((lane) => lane.waiting.splice(0))
    },
    get held() {
      return running + waiting
    },
  }
}

const isSlow = ({ averageMs }: Lane<unknown>): boolean => averageMs > SLOW_MS
const atOnce = ({ averageMs }: Lane<unknown>): number => (averageMs > HANGS_MS ? 1 : RUNNING_MOST)
const backlog = (lane: Lane<unknown>): number => {
  const inTime = (BACKLOG_MS * atOnce(lane)) / Math.max(1, lane.averageMs)
  return Math.min(BACKLOG_MOST, Math.max(BACKLOG_LEAST, Math.floor(inTime)))
}

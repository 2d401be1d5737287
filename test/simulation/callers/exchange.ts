import type { JobId } from '../../../src/domain/ids.ts'
import { Line } from '../pools/line.ts'
import type { World } from '../world.ts'
import type { Asked, EdgeNode } from './edge-node.ts'
import { type Part, Response } from './response.ts'

/** All that reached a caller of one answer. */
export interface Heard {
  status: number | undefined
  headers: Record<string, unknown>
  text: string
  trailers: Record<string, unknown>
}

/**
 * How it ended for the caller: the answer is there to its end, the connection broke, the caller left,
 * or it waited longer than anybody should have to.
 */
export type ExchangeEnd = 'whole' | 'broken' | 'hung_up' | 'no_end'

export interface ExchangeOptions
  extends Pick<Asked, 'route' | 'key' | 'headers' | 'params' | 'body'> {
  readonly query?: Asked['query']
  taken?(jobId: JobId, how: 'admitted' | 'joined'): void
  ended(end: ExchangeEnd, heard: Heard): void
}

/** A job's window, the margins of job and edge, and all patience on the way to a job. */
const PATIENCE_MS = 240_000
const NOTICED_MS = 1_000

/** One HTTP request of one caller to one edge, over a network that may break. */
export class Exchange {
  readonly #heard: Heard = { status: undefined, headers: {}, text: '', trailers: {} }
  readonly #toCaller: Line
  readonly #response: Response
  #end: ExchangeEnd | undefined
  #isCut = false
  readonly #stopWaiting: () => void

  constructor(
    private readonly world: World,
    private readonly edge: EdgeNode,
    private readonly options: ExchangeOptions,
  ) {
    const { node } = edge
    this.#toCaller = new Line(world, (ms, act) => void world.after(ms, act))
    this.#response = new Response(
      (part) => this.#answered(part),
      (how) => {
        if (node.alive) world.fail(`${node.name}: ${how} in an answer to ${options.route}`)
      },
    )
    this.#stopWaiting = world.after(PATIENCE_MS, () => this.#finish('no_end'))
    node.onDeath(() => this.#cut())
    if (this.#breaks(world.faults.lostRequest)) return
    node.clock.after(world.faults.latency(), () => this.#arrive())
  }

  /** The caller closes the connection; the edge hears of it a moment later. */
  hangUp(): void {
    if (this.#end) return
    this.#finish('hung_up')
    this.edge.node.clock.after(this.world.faults.latency(), () => this.#response.destroy())
  }

  #arrive(): void {
    const { route, key, headers, params, query = {}, body, taken } = this.options
    this.edge.ask({
      ...{ route, key, headers, params, query, body: structuredClone(body) },
      response: this.#response,
      taken: (jobId, how) => {
        if (this.edge.node.alive) taken?.(jobId, how)
      },
    })
  }

  #answered(part: Part): void {
    // What a dead process still does reaches nobody.
    if (!this.edge.node.alive || this.#isCut || this.#breaks(this.world.faults.lostAnswer)) return
    this.#toCaller.put(() => {
      if (!this.#end && !this.#isCut) this.#hear(part)
    })
  }

  #hear(part: Part): void {
    const heard = this.#heard
    switch (part.type) {
      case 'head':
        heard.status = part.status
        heard.headers = { ...part.headers }
        return
      case 'body':
        heard.text += part.text
        return
      case 'trailers':
        heard.trailers = { ...part.trailers }
        return
      case 'end':
        this.#finish('whole')
        return
    }
  }

  #breaks(probability: number): boolean {
    if (!this.world.random.chance(probability)) return false
    this.#cut()
    this.edge.node.clock.after(NOTICED_MS, () => this.#response.destroy())
    return true
  }

  #cut(): void {
    if (this.#isCut) return
    this.#isCut = true
    this.world.after(this.world.faults.latency(), () => this.#finish('broken'))
  }

  #finish(end: ExchangeEnd): void {
    if (this.#end) return
    this.#end = end
    this.#stopWaiting()
    this.options.ended(end, this.#heard)
  }
}

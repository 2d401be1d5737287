import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { LOOPBACK } from '../../src/network/ports.ts'
import { resetSocket } from '../fakes/reset-socket.ts'

/**
 * silent: nothing passes and nobody is told, like when a cable is pulled or a switch dies.
 * reset: connections are torn and new ones refused, the way a firewall does that answers.
 */
export type Cut = 'silent' | 'reset'

/** No process has this id. */
const NOBODY = 0

interface Pair {
  readonly pid: number
  readonly near: Socket
  far: Socket | undefined
}

/** One way from the processes of a role to one port, which can be cut for all of them or for one. */
export class Way {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #cut: { readonly how: Cut; readonly pid: number | undefined } | undefined
  /** What happens once the cut is healed: the news of ends that came meanwhile. */
  #later: (() => void)[] = []

  private constructor(
    readonly target: number,
    taken: (way: Way, near: Socket) => void,
  ) {
    this.#server = createServer({ pauseOnConnect: true }, (near) => {
      near.on('error', () => near.destroy())
      taken(this, near)
    })
  }

  /** For processes of ours: each says first which one it is. */
  static to(target: number): Promise<Way> {
    return Way.#listening(new Way(target, (way, near) => way.#introduced(near)))
  }

  /** For one server that knows nothing of this. */
  static fromServer(target: number): Promise<Way> {
    return Way.#listening(new Way(target, (way, near) => way.#join(near, NOBODY)))
  }

  static async #listening(way: Way): Promise<Way> {
    await new Promise<void>((resolve, reject) => {
      way.#server.once('error', reject)
      way.#server.listen(0, LOOPBACK, () => resolve())
    })
    return way
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** @param pid of one process; left out: of all */
  cut(how: Cut, pid?: number): void {
    this.#cut = { how, pid }
    for (const pair of this.#pairs) {
      if (!this.#isCut(pair.pid)) continue
      if (how === 'reset') end(pair)
      else halt(pair)
    }
  }

  heal(): void {
    this.#cut = undefined
    const later = this.#later
    this.#later = []
    for (const act of later) act()
    for (const pair of this.#pairs) go(pair)
  }

  close(): void {
    for (const pair of this.#pairs) end(pair)
    this.#server.close()
  }

  #isCut(pid: number): boolean {
    return this.#cut !== undefined && (this.#cut.pid === undefined || this.#cut.pid === pid)
  }

  #introduced(near: Socket): void {
    // The first line says whose connection it is; see in-role.mjs.
    let line = Buffer.alloc(0)
    const read = () => {
      const bytes: Buffer | null = near.read()
      if (bytes) line = Buffer.concat([line, bytes])
      const at = line.indexOf('\n')
      if (at < 0) return
      near.off('readable', read)
      near.unshift(line.subarray(at + 1))
      this.#join(near, Number(line.subarray(0, at).toString()))
    }
    near.on('readable', read)
  }

  #join(near: Socket, pid: number): void {
    if (this.#isCut(pid) && this.#cut?.how === 'reset') {
      resetSocket(near)
      return
    }
    const pair: Pair = { pid, near, far: undefined }
    this.#pairs.add(pair)
    const open = () => {
      if (near.destroyed) return
      const far = dial({ port: this.target, host: LOOPBACK })
      pair.far = far
      far.setNoDelay(true)
      far.on('error', () => far.destroy())
      near.pipe(far)
      far.pipe(near)
      far.once('close', () => this.#over(pair, near))
      if (this.#isCut(pid)) halt(pair)
    }
    near.setNoDelay(true)
    near.once('close', () => {
      this.#pairs.delete(pair)
      this.#over(pair, pair.far)
    })
    if (this.#isCut(pid)) this.#later.push(open)
    else open()
  }

  /** One side has ended; the other hears of it once something can be heard. */
  #over(pair: Pair, other: Socket | undefined): void {
    if (!other || other.destroyed) return
    if (this.#isCut(pair.pid) && this.#cut?.how === 'silent')
      this.#later.push(() => other.destroy())
    else other.destroy()
  }
}

function halt({ near, far }: Pair): void {
  for (const socket of [near, far]) {
    socket?.unpipe()
    socket?.pause()
  }
}

function go({ near, far }: Pair): void {
  if (!far || near.destroyed || far.destroyed) return
  // Nothing but a halted pair is without pipes; piped twice, bytes would come twice.
  near.unpipe(far).pipe(far)
  far.unpipe(near).pipe(near)
}

function end({ near, far }: Pair): void {
  resetSocket(near)
  if (far) resetSocket(far)
}

import { connect, createServer, type Server, type Socket } from 'node:net'
import { resetSocket } from '../reset-socket.ts'

/** A way to a pool that can fail, as networks, proxies and machines do. */
export class Relay {
  /** How often it was dialled. */
  dialled = 0
  private isCut = false
  private readonly sockets = new Set<Socket>()
  private readonly stalled = new Set<Socket>()
  private readonly server: Server

  /** @param target host:port; another one counts from the next connection on */
  constructor(public target: string) {
    this.server = createServer((near) => {
      this.dialled++
      if (this.isCut) return void resetSocket(near)
      const [host, port] = this.target.split(':')
      this.join(near, connect(Number(port), host))
    })
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    const address = this.server.address()
    if (typeof address !== 'object' || !address) throw new Error('the relay is not open')
    return `127.0.0.1:${address.port}`
  }

  /** Ends all connections and takes no new ones, until `mend`. */
  cut(): void {
    this.isCut = true
    this.break()
  }

  mend(): void {
    this.isCut = false
  }

  /** Ends all connections; whoever dials again is let through. */
  break(): void {
    for (const socket of this.sockets) resetSocket(socket)
  }

  /** Nothing more passes over the connections there are, and neither end is told. */
  stall(): void {
    for (const socket of this.sockets) {
      this.sockets.delete(socket)
      socket.unpipe()
      socket.pause()
      socket.removeAllListeners('close')
      this.stalled.add(socket)
    }
  }

  close(): void {
    this.cut()
    for (const socket of this.stalled) socket.destroy()
    this.server.close()
  }

  private join(near: Socket, far: Socket): void {
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      this.sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }
}

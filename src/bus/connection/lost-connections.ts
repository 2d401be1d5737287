import { NodeTransport } from 'nats/lib/src/node_transport.js'
import { assert } from '../../domain/result.ts'

const { connect, close, disconnect } = NodeTransport.prototype
let isMended = false

/**
 * From now on, in this whole process, a connection to NATS that is given up is gone. The library leaves two kinds
 * of it behind:
 *
 * - A dial that took too long goes on. Once the network or the server lets it through, the server ends it,
 *   as it says nothing; and for that end the library leaves the connection that it has by now, which stays open
 *   beside the next one: everything is heard twice, mixed up where it comes in pieces, and answers to what came over
 *   the first are refused, since the second was not asked.
 * - A connection whose server is silent is flushed before it is ended. Where more waits than the kernel takes, as
 *   with some long prompts, that never happens, and no other server is tried for as long.
 */
export function endLostConnections(): void {
  if (isMended) return
  isMended = true
  const methods: readonly unknown[] = [connect, close, disconnect]
  assert(
    methods.every((method) => typeof method === 'function'),
    'nats: this version of the client library connects in another way',
  )
  const givenUp = new WeakSet<NodeTransport>()
  const giveUp = (transport: NodeTransport) => {
    givenUp.add(transport)
    transport.socket?.destroy()
  }
  NodeTransport.prototype.connect = async function (...to) {
    await connect.apply(this, to)
    if (!givenUp.has(this)) return
    // Nobody is to hear of the end of what nobody waits for.
    this.socket.removeAllListeners().on('error', () => {})
    giveUp(this)
  }
  NodeTransport.prototype.close = function (error) {
    if (!this.connected) giveUp(this)
    return close.call(this, error)
  }
  // Its end is heard as that of one that was cut.
  NodeTransport.prototype.disconnect = function () {
    giveUp(this)
  }
}

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server that may fall silent: what it has taken until then never speaks again, the new only waits. */
export async function silentWay(to: string) {
  const url = new URL(to)
  const port = Number(url.port)
  const all = new Set<Socket>()
  const beyond = new Set<Socket>()
  let waiting: Socket[] = []
  let isSilent = false
  const pass = (near: Socket) => {
    if (near.destroyed) return
    const far = connect({ port, host: '127.0.0.1' })
    beyond.add(far)
    far
      .on('error', () => far.destroy())
      .once('close', () => {
        beyond.delete(far)
        if (!isSilent) near.destroy()
      })
    near.once('close', () => far.destroy())
    near.pipe(far).pipe(near)
  }
  const gate = createServer((near) => {
    all.add(near)
    near.on('error', () => near.destroy()).once('close', () => all.delete(near))
    if (isSilent) waiting.push(near)
    else pass(near)
  })
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  url.port = String((gate.address() as AddressInfo).port)
  return {
    url: url.href,
    /** Connections that the server has of it. */
    open: () => beyond.size,
    waiting: () => waiting.length,
    silence: () => {
      isSilent = true
      // Unread, so that whoever writes is stopped in the end.
      for (const near of all) near.unpipe().pause()
      for (const far of beyond) far.destroy()
    },
    speak: () => {
      isSilent = false
      for (const near of waiting) pass(near)
      waiting = []
    },
    /** All connections end, as they do with a server that is started anew. */
    cut: () => {
      for (const near of all) near.destroy()
      waiting = []
    },
    close: () => {
      for (const near of all) near.destroy()
      gate.close()
    },
  }
}

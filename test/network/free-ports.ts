import { createServer } from 'node:net'
import { PORT_SPAN } from '../../src/network/options.ts'
import { isFree, LOOPBACK, UNCALLABLE_PORTS } from '../../src/network/ports.ts'

// Below the range that systems give to outgoing connections.
const FIRST_PORT = 10_000
const LAST_PORT = 30_000
const BLOCKS = (LAST_PORT - FIRST_PORT) / PORT_SPAN
/** The port of a block that no network listens on. */
const CLAIM_AT = 39

/**
 * A block of ports that nothing listens on, and that no other process of these tests is given for as long as
 * this one lives: tests run side by side, and a network takes seconds until it listens, or is started again.
 */
export async function freePortBase(): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const base = FIRST_PORT + Math.floor(Math.random() * BLOCKS) * PORT_SPAN
    const ports = Array.from({ length: PORT_SPAN }, (_, i) => base + i)
    if (ports.some((port) => UNCALLABLE_PORTS.has(port))) continue
    const free = await Promise.all(ports.map(isFree))
    if (free.every(Boolean) && (await claim(base + CLAIM_AT))) return base
  }
  throw new Error(`no free block of ${PORT_SPAN} ports between ${FIRST_PORT} and ${LAST_PORT}`)
}

/** @returns whether this process is the one that listens there from now on */
function claim(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().unref()
    server.once('error', () => resolve(false))
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => resolve(true))
  })
}

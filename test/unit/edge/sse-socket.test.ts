import type { ServerResponse } from 'node:http'
import { Socket as Connection } from 'node:net'
import { Writable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SseSocket } from '../../../src/edge/answer/sse-socket.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

/** A caller that reads only when the test says so. */
class Reader extends Writable {
  heard = ''
  trailers: unknown
  /** Null: the connection is still an earlier request's. */
  socket: ServerResponse['socket'] = new Connection()
  #taken: (() => void) | undefined

  constructor() {
    super({ highWaterMark: 16 * 1024, decodeStrings: false })
  }

  override _write(text: string, _encoding: string, taken: () => void): void {
    this.heard += text
    this.#taken = taken
  }

  addTrailers(trailers: unknown): void {
    this.trailers = trailers
  }

  /** Takes one write. @returns false where there was nothing to take */
  async take(): Promise<boolean> {
    await rest()
    const taken = this.#taken
    this.#taken = undefined
    taken?.()
    await rest()
    return taken !== undefined
  }
}

interface World {
  clock: ManualClock
  reader: Reader
  socket: SseSocket
}
const Socket = suite<World>('SSE socket')
Socket.before.each((world) => {
  world.clock = new ManualClock()
  world.reader = new Reader()
  world.socket = new SseSocket(world.reader, world.clock)
})

const EVENT = `data: ${'x'.repeat(1_000)}\n\n`
const write = (socket: SseSocket, events: number) => {
  for (let i = 0; i < events; i++) socket.write(EVENT)
}

Socket('what falls into one turn leaves as one write, and the end after it', async (world) => {
  const { reader, socket } = world
  write(socket, 3)
  await rest()
  assert.is(reader.heard, EVENT.repeat(3))
  socket.write('last')
  socket.end({ 'x-trailer': 'y' })
  while (await reader.take());
  assert.is(reader.heard, `${EVENT.repeat(3)}last`)
  assert.equal(reader.trailers, { 'x-trailer': 'y' })
  assert.ok(reader.writableFinished)
})

Socket('nothing is written while the reader is full', async ({ reader, socket }) => {
  write(socket, 100)
  await rest()
  const before = reader.heard.length
  assert.ok(before < 20_000, `${before} bytes were written`)
  write(socket, 100)
  await rest()
  assert.is(reader.heard.length, before)
  while (await reader.take());
  assert.is(reader.heard, EVENT.repeat(200))
})

Socket('a backlog of a mebibyte ends it where the reader is slow', async (world) => {
  const { clock, reader, socket } = world
  write(socket, 1_020)
  await rest()
  await clock.advance(3_000)
  assert.not(reader.destroyed)
  write(socket, 60)
  assert.ok(reader.destroyed)
  write(socket, 1)
  socket.end({})
})

Socket('megabytes that come at once reach a reader that reads', async ({ reader, socket }) => {
  write(socket, 4_000)
  socket.end({})
  while (await reader.take());
  assert.is(reader.heard.length, EVENT.length * 4_000)
  assert.ok(reader.writableFinished)
})

Socket('but not any number of them', ({ reader, socket }) => {
  write(socket, 40_000)
  assert.ok(reader.destroyed)
})

Socket(
  'a reader that takes nothing for half a minute is cut',
  async ({ clock, reader, socket }) => {
    write(socket, 100)
    await clock.advance(29_000)
    assert.not(reader.destroyed)
    await clock.advance(1_500)
    assert.ok(reader.destroyed)
  },
)

Socket('a reader that is slow, but reads, is not', async ({ clock, reader, socket }) => {
  write(socket, 200)
  for (let i = 0; i < 10; i++) {
    await clock.advance(25_000)
    assert.ok(await reader.take(), `write ${i}`)
    assert.not(reader.destroyed)
  }
  await clock.advance(31_000)
  assert.ok(reader.destroyed)
})

Socket('one that was full before, and took it all, is not slow', async (world) => {
  const { clock, reader, socket } = world
  write(socket, 100)
  while (await reader.take());
  await clock.advance(29_000)
  write(socket, 20)
  await rest()
  write(socket, 1_100)
  assert.not(reader.destroyed, 'it has had no time to take any of it')
  await clock.advance(1_500)
  assert.not(reader.destroyed, 'nor half a minute')
  while (await reader.take());
  assert.is(reader.heard.length, EVENT.length * 1_220)
})

Socket('a reader with nothing to read is waited for', async ({ clock, reader, socket }) => {
  write(socket, 100)
  while (await reader.take());
  await clock.advance(600_000)
  assert.not(reader.destroyed)
})

Socket('what is left at the end is waited for a minute at most', async (world) => {
  const { clock, reader, socket } = world
  write(socket, 100)
  socket.end({})
  for (let i = 0; i < 2; i++) {
    await clock.advance(25_000)
    await reader.take()
  }
  assert.not(reader.destroyed)
  await clock.advance(11_000)
  assert.ok(reader.destroyed)
})

Socket('a reader whose turn has not come is not slow, however long that takes', async (world) => {
  const { clock, reader, socket } = world
  reader.socket = null
  write(socket, 100)
  await clock.advance(120_000)
  socket.end({})
  await clock.advance(120_000)
  assert.not(reader.destroyed)
  reader.socket = new Connection()
  while (await reader.take());
  assert.is(reader.heard, EVENT.repeat(100))
  assert.ok(reader.writableFinished)
})

Socket('nor is it for much that has piled up', async ({ clock, reader, socket }) => {
  reader.socket = null
  write(socket, 1_020)
  await clock.advance(3_000)
  write(socket, 60)
  await clock.advance(3_000)
  reader.socket = new Connection()
  reader.emit('socket', reader.socket)
  write(socket, 1)
  assert.not(reader.destroyed)
  await clock.advance(3_000)
  write(socket, 1)
  assert.ok(reader.destroyed, 'now it could have read')
})

Socket('from its turn on it is cut like every other', async ({ clock, reader, socket }) => {
  reader.socket = null
  write(socket, 100)
  await clock.advance(100_000)
  reader.socket = new Connection()
  await clock.advance(61_000)
  assert.ok(reader.destroyed)
})

Socket.run()

import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Way } from '../../chaos/cuts.ts'
import { pause, until } from '../../until.ts'

/** The proxy that stands for a network: what passes, and what a cut does to it. */
const Cuts = suite('cuts of a network')
/** Nothing can be waited for where nothing may come. */
const NOTHING_MS = 200

let echo: Server
let way: Way
Cuts.before.each(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => socket.destroy()).pipe(socket)
  })
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', () => resolve()))
  way = await Way.to((echo.address() as { port: number }).port)
})
Cuts.after.each(() => {
  way.close()
  echo.close()
})

interface Line {
  readonly socket: Socket
  readonly heard: () => string
  readonly isOver: () => boolean
}

/** As in-role.mjs makes them: the first line says whose it is. */
async function line(pid: number): Promise<Line> {
  const socket = connect(way.port, '127.0.0.1')
  let [heard, over] = ['', false]
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text
  })
  socket
    .on('error', () => {})
    .on('close', () => {
      over = true
    })
  socket.write(`${pid}\n`)
  await once(socket, 'connect')
  return { socket, heard: () => heard, isOver: () => over }
}

Cuts('what is said passes, both ways, without the first line', async () => {
  const { socket, heard } = await line(1)
  socket.write('hello')
  await until('the echo', () => heard() === 'hello')
  socket.destroy()
})

Cuts('a silent cut holds everything back, and nothing is lost when it heals', async () => {
  const old = await line(1)
  old.socket.write('a')
  await until('the echo', () => old.heard() === 'a')
  way.cut('silent')
  old.socket.write('b')
  const young = await line(2)
  young.socket.write('new')
  await pause(NOTHING_MS)
  assert.equal([old.heard(), young.heard()], ['a', ''])
  assert.not.ok(old.isOver() || young.isOver())
  way.heal()
  old.socket.write('c')
  await until('the rest', () => old.heard() === 'abc')
  await until('what a new connection said', () => young.heard() === 'new')
  for (const { socket } of [old, young]) socket.destroy()
})

Cuts('a cut with resets breaks connections and new ones, until it heals', async () => {
  const old = await line(1)
  way.cut('reset')
  await until('the end of the old one', old.isOver)
  const young = await line(1)
  await until('the end of the new one', young.isOver)
  way.heal()
  const next = await line(1)
  next.socket.write('again')
  await until('the echo', () => next.heard() === 'again')
  next.socket.destroy()
})

Cuts('a cut of one process leaves the others alone', async () => {
  const [cut, other] = [await line(1), await line(2)]
  for (const { socket } of [cut, other]) socket.write('x')
  await until('both echoes', () => cut.heard() === 'x' && other.heard() === 'x')
  way.cut('silent', 1)
  for (const { socket } of [cut, other]) socket.write('y')
  await until('the echo of the other', () => other.heard() === 'xy')
  await pause(NOTHING_MS)
  assert.is(cut.heard(), 'x')
  way.heal()
  await until('the rest', () => cut.heard() === 'xy')
  for (const { socket } of [cut, other]) socket.destroy()
})

Cuts.run()

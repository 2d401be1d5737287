import { createServer } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats } from '../../src/bus/connect.ts'
import { Presence } from '../../src/runtime/presence.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { pause, until } from '../until.ts'
import { type Server, startNats } from './servers.ts'

/** A nats-server that hangs says nothing of anybody: nobody is given up for it. */
const Silent = suite('a server that hangs')
const log = makeLog('test', 'silent')
const SUBJECT = 'test.alive'
const SILENCE_MS = 3_000
/** Longer than the silence after which somebody is gone; less than it takes to end the connection. */
const HANG_MS = 3_800

let server: Server
Silent.before(async () => {
  server = await startNats()
})
const undo: (() => unknown)[] = []
Silent.after(async () => {
  process.kill(server.pid, 'SIGCONT')
  for (const step of undo) await step()
  await server.stop()
})

const open = (name: string) => connectNats({ servers: server.url, name, log })

Silent('who was heard until then is not gone; who leaves afterwards is', async () => {
  const [here, there] = await Promise.all([open('here'), open('there')])
  const presence = new Presence({ bus: here.bus, clock: systemClock, silenceMs: SILENCE_MS })
  const beats = setInterval(() => there.bus.publish(SUBJECT, 'there'), 500)
  undo.push(() => clearInterval(beats), presence.stop.bind(presence), here.close, there.close)
  presence.start()
  here.bus.subscribe(SUBJECT, (id) => presence.heard(id as string))
  await until('a heartbeat', () => presence.has('there'))
  // So long nobody is judged at all.
  await pause(SILENCE_MS)
  assert.not(presence.isGone('there'))

  process.kill(server.pid, 'SIGSTOP')
  const judged = judge(presence, HANG_MS)
  await until('the silence is noticed', () => !here.bus.connected, SILENCE_MS)
  const verdicts = await judged
  process.kill(server.pid, 'SIGCONT')
  await until('the server answers again', () => here.bus.connected)
  verdicts.push(...(await judge(presence, 1_000)))
  assert.not(verdicts.includes(true))

  clearInterval(beats)
  await until('it is gone', () => presence.isGone('there'), SILENCE_MS * 4)
})

Silent('one that hangs, dies and is started anew: connected again', async () => {
  const { bus, close } = await open('here')
  undo.push(close)
  process.kill(server.pid, 'SIGSTOP')
  await until('the silence is noticed', () => !bus.connected, SILENCE_MS)
  await server.crash()
  await until('the server answers again', () => bus.connected)
  const heard: unknown[] = []
  bus.subscribe(SUBJECT, (message) => heard.push(message))
  bus.publish(SUBJECT, 'again')
  await until('a message', () => heard.includes('again'))
})

Silent('closed while no server is there: nobody comes back with it', async () => {
  const gone = await startNats()
  const { bus, close } = await connectNats({ servers: gone.url, name: 'here', log })
  bus.subscribe(SUBJECT, () => {})
  await gone.stop()
  await until('the end is noticed', () => !bus.connected)
  await close()
  let comers = 0
  const door = createServer((socket) => {
    comers++
    socket.destroy()
  })
  const port = Number(new URL(gone.url).port)
  await new Promise<void>((resolve) => door.listen(port, '127.0.0.1', resolve))
  // Connections that are lost try again every 100 to 200 ms.
  await pause(1_000)
  await new Promise((resolve) => door.close(resolve))
  assert.is(comers, 0)
})

/** All verdicts of so long. */
async function judge(presence: Presence, spanMs: number): Promise<boolean[]> {
  const verdicts: boolean[] = []
  for (const over = performance.now() + spanMs; performance.now() < over; await pause(50)) {
    verdicts.push(presence.isGone('there'))
  }
  return verdicts
}

Silent.run()

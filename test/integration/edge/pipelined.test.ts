import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { QUEUED_MOST } from '../../../src/api/http/queued-answers.ts'
import { LISTENERS_PER_WALLET } from '../../../src/edge/events/listeners.ts'
import { chat, chunksOf, completed, KEY, openStage, type Stage } from '../../fakes/edge/stage.ts'
import { dial, type RawCaller } from '../../raw-caller.ts'
import { pause, SOON_MS, until } from '../../until.ts'

/** Requests that are sent one behind another on one connection, without waiting. */
const Pipelined = suite<{ stage: Stage }>('edge: pipelined requests')
Pipelined.before.each(async (context) => {
  context.stage = await openStage()
})
Pipelined.after.each(async ({ stage }) => stage.close())

function send(url: string, ...requests: string[]): RawCaller {
  const caller = dial(url)
  caller.socket.write(requests.join(''))
  return caller
}

const HEAD = `host: x\r\nauthorization: Bearer ${KEY}\r\n`
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${HEAD}\r\n`
function post(body: unknown): string {
  const text = JSON.stringify(body)
  const type = 'content-type: application/json\r\n'
  return `POST /v1/chat/completions HTTP/1.1\r\n${HEAD}${type}content-length: ${text.length}\r\n\r\n${text}`
}
const ofType = ({ commands }: Stage, type: string) =>
  commands.flatMap((command) => (command.type === type ? [command.jobId] : []))

for (const stream of [true, false]) {
  Pipelined(`a caller that leaves: every job ends, stream ${stream}`, async ({ stage }) => {
    stage.play = ({ jobId }) => stage.say(...chunksOf(jobId, ['Hel']))
    const { socket } = send(
      stage.url,
      post(chat({ stream: true })),
      post(chat({ stream })),
      post(chat({ stream })),
    )
    await until('all have begun', () => ofType(stage, 'StartJob').length === 3, SOON_MS)
    socket.destroy()
    await until('all are cancelled', () => ofType(stage, 'CancelJob').length === 3, SOON_MS)
    assert.equal(new Set(ofType(stage, 'CancelJob')), new Set(ofType(stage, 'StartJob')))
  })
}

Pipelined('answers come in the order of the requests, and no job is cancelled', async (world) => {
  const { stage } = world
  // The first request's is the slowest.
  stage.play = async ({ jobId, stream }) => {
    if (!stream) await pause(200)
    stage.say(...chunksOf(jobId, ['Hello']), completed(jobId, ['Hello']))
  }
  const { socket, heard } = send(
    stage.url,
    ...[post(chat()), post(chat({ stream: true })), get('/v1/account')],
  )
  await until('the last is answered', () => heard().includes('"wallet":'), SOON_MS)
  socket.destroy()
  const kinds = heard().match(/content-type: [\w/-]+|"wallet"/g)
  const expected = ['application/json', 'text/event-stream', 'application/json']
  assert.equal(kinds, [...expected.map((kind) => `content-type: ${kind}`), '"wallet"'])
  await pause(100)
  assert.equal(ofType(stage, 'CancelJob'), [])
})

Pipelined('listeners that leave before their turn came hold no place', async ({ stage }) => {
  const listen = Array.from({ length: LISTENERS_PER_WALLET }, () => get('/v1/events'))
  const first = send(stage.url, post(chat()), ...listen)
  const status = async () => {
    const answer = await fetch(`${stage.url}/v1/events`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    await answer.body?.cancel()
    return answer.status
  }
  await until('all places are taken', async () => (await status()) === 429, SOON_MS)
  first.socket.destroy()
  await until('they are free again', async () => (await status()) === 200, SOON_MS)
})

Pipelined(
  'so many may wait, and a connection that sends on and on is closed',
  async ({ stage }) => {
    const ahead = post(chat())
    const polite = send(stage.url, ahead, get('/v1/account').repeat(QUEUED_MOST))
    const flood = send(stage.url, ahead, get('/v1/account').repeat(QUEUED_MOST + 1))
    const isClosed = ({ socket }: RawCaller) => socket.closed
    flood.socket.on('error', () => {}) // reset
    await until('the flood to be closed', () => isClosed(flood), SOON_MS)
    await until('its job is cancelled', () => ofType(stage, 'CancelJob').length === 1, SOON_MS)
    const [left] = ofType(stage, 'StartJob').filter(
      (id) => !ofType(stage, 'CancelJob').includes(id),
    )
    stage.say(...chunksOf(left!, ['Hello']), completed(left!, ['Hello']))
    const answers = () => polite.heard().match(/"wallet"/g)?.length
    await until('all of the other are answered', () => answers() === QUEUED_MOST, SOON_MS)
    polite.socket.destroy()
  },
)

Pipelined.run()

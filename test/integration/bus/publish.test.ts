import {
  type ApiError,
  connect,
  headers,
  type JetStreamClient,
  type NatsConnection,
  NatsError,
} from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { askCheaply } from '../../../src/bus/core/requests.ts'
import { publishCheaply } from '../../../src/bus/streams/stream-publish.ts'
import { type Server, startNats } from '../servers.ts'

/** Publishing to a stream in our own way is answered as that of the client library is. */
const Publish = suite('publishing to a stream of a real nats-server')
let server: Server
const connections: NatsConnection[] = []
let ways: readonly { readonly name: string; readonly js: JetStreamClient }[]

Publish.before(async () => {
  server = await startNats()
  const own = await connect({ servers: server.url, noAsyncTraces: true })
  const library = await connect({ servers: server.url })
  connections.push(own, library)
  askCheaply(own)
  const jsm = await library.jetstreamManager()
  await jsm.streams.add({ name: 'T', subjects: ['t.>'] })
  ways = [
    { name: 'own', js: publishCheaply(own.jetstream(), own) },
    { name: 'library', js: library.jetstream() },
  ]
})
Publish.after(async () => {
  await Promise.all(connections.map((connection) => connection.close()))
  await server.stop()
})

type Told = { readonly code: string; readonly api: ApiError | undefined } | 'stored'
const told = (published: Promise<unknown>): Promise<Told> =>
  published.then(
    () => 'stored' as const,
    (error: unknown) => {
      assert.instance(error, NatsError)
      return { code: (error as NatsError).code, api: (error as NatsError).api_error }
    },
  )

Publish('what is stored is told with its place', async () => {
  for (const { name, js } of ways) {
    const subject = `t.stored.${name}`
    const first = await js.publish(subject, 'one', { expect: { lastSubjectSequence: 0 } })
    const second = await js.publish(subject, 'two', { expect: { lastSubjectSequence: first.seq } })
    assert.is(second.stream, 'T')
    assert.is(second.seq, first.seq + 1)
  }
})

Publish('a refusal names its reason as the library does', async () => {
  const answers: Told[] = []
  for (const { js } of ways) {
    await js.publish('t.taken', 'first').catch(() => {})
    answers.push(await told(js.publish('t.taken', 'x', { expect: { lastSubjectSequence: 0 } })))
  }
  const [own, library] = answers
  assert.ok(own !== undefined && own !== 'stored')
  assert.is(own.api?.err_code, 10_071)
  assert.is((library as typeof own).api?.err_code, 10_071)
  assert.is(own.code, (library as typeof own).code)
})

Publish('where no stream listens, nobody is there', async () => {
  for (const { js } of ways) {
    const answer = await told(js.publish('elsewhere', 'x', { timeout: 5_000 }))
    assert.ok(answer !== 'stored')
    assert.is(answer.code, '503')
  }
})

Publish('headers of who publishes are kept beside what is expected', async () => {
  for (const { name, js } of ways) {
    const subject = `t.headers.${name}`
    const said = headers()
    said.set('Mark', name)
    const { seq } = await js.publish(subject, 'x', {
      headers: said,
      expect: { lastSubjectSequence: 0 },
    })
    const jsm = await connections[1]!.jetstreamManager()
    const kept = await jsm.streams.getMessage('T', { seq })
    assert.is(kept.header.get('Mark'), name)
  }
})

Publish('what is asked for beyond that goes the way of the library', async () => {
  for (const { name, js } of ways) {
    const subject = `t.once.${name}`
    const first = await js.publish(subject, 'x', { msgID: name })
    const again = await js.publish(subject, 'x', { msgID: name })
    assert.not(first.duplicate)
    assert.ok(again.duplicate)
    const wrong = await told(js.publish(subject, 'x', { expect: { streamName: 'other' } }))
    assert.ok(wrong !== 'stored')
    assert.is(wrong.api?.err_code, 10_060)
  }
})

Publish.run()

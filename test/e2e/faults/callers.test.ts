import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../../network/network.ts'
import { dial, type RawCaller } from '../../raw-caller.ts'
import { pause, until } from '../../until.ts'
import { audit, lockedJobs } from '../books.ts'
import { ask, hashOf, LONE_MODEL, MODEL, post, untilStatus } from '../calls.ts'
import { rawChat } from '../raw-chat.ts'
import { untilLocked, whole } from '../verdicts.ts'

/** Callers that leave, stop reading, or never finish what they say. */
const Callers = suite('faults of callers')
const BOOKS_MS = 90_000
/** The least that an answer of this network's workers has. */
const TOKENS_LEAST = 2_000
/** Of LONE_MODEL: up to 500 tokens, and the least whole answer. */
const FLAT_CREDITS = 40n
const FULL_CREDITS = FLAT_CREDITS + (20n * 1_500n) / 1_000n

let network: Network
let halfBody: RawCaller
let halfHead: RawCaller
let halfAt = 0
Callers.before(async () => {
  network = await startNetwork({
    env: { WORKER_SAMPLE_TOKENS: String((TOKENS_LEAST * 3) / 2), WORKER_SAMPLE_TOKEN_MS: '4' },
  })
  const { head, body } = rawChat(network, { model: MODEL })
  halfBody = dial(network.base_url)
  halfBody.socket.write(head + body.slice(0, body.length / 2))
  halfHead = dial(network.base_url)
  halfHead.socket.write(head.slice(0, head.length / 2))
  halfAt = performance.now()
})
Callers.after(() => network?.stop())

Callers('hangs up before the first token: the job fails, all credits are back', async () => {
  const before = await lockedJobs(network)
  // The only worker of the model is halted, so that the first token cannot come.
  const halted = network.kill('worker', 'SIGSTOP', 1)
  try {
    const leaving = new AbortController()
    const asked = [true, false].map((stream) =>
      ask(network, { model: LONE_MODEL, stream, signal: leaving.signal }),
    )
    const ids = await untilLocked(network, before, 2)
    leaving.abort()
    for (const call of await Promise.all(asked)) assert.is(call.type, 'broken')
    for (const id of ids) {
      const job = await untilStatus(network, id, 'failed')
      assert.is(job.credits_charged, 0)
    }
    const { jobs, available } = await audit(network, BOOKS_MS)
    for (const id of ids) assert.is(jobs.get(id)?.end?.type, 'refunded')
    assert.is(available, 100_000n)
  } finally {
    process.kill(halted, 'SIGCONT')
  }
})

Callers('hangs up mid-answer: the worker stops, what was generated is charged', async () => {
  const leaving = new AbortController()
  const answer = await post(network, { model: LONE_MODEL, stream: true, signal: leaving.signal })
  const id = answer.headers.get('x-svc-job-id') ?? ''
  const reader = answer.body!.getReader()
  await reader.read()
  await pause(200)
  leaving.abort()
  const job = await untilStatus(network, id, 'settled')
  const tokens = job.usage?.completion_tokens ?? 0
  assert.ok(tokens > 0 && tokens < TOKENS_LEAST, `the worker did not go on: ${tokens} tokens`)
  const end = (await audit(network, BOOKS_MS)).jobs.get(id)?.end
  assert.ok(end?.type === 'settled')
  assert.is(end.charged, BigInt(job.credits_charged))
  assert.ok(end.charged >= FLAT_CREDITS && end.charged < FULL_CREDITS, `charged ${end.charged}`)
})

Callers('a plain request hangs up mid-answer: the same', async () => {
  const before = await lockedJobs(network)
  const leaving = new AbortController()
  const asked = ask(network, { model: LONE_MODEL, signal: leaving.signal })
  const [id = ''] = await untilLocked(network, before, 1)
  await untilStatus(network, id, 'processing')
  await pause(300)
  leaving.abort()
  await asked
  const job = await untilStatus(network, id, 'settled')
  assert.ok((job.usage?.completion_tokens ?? 0) < TOKENS_LEAST)
  await audit(network, BOOKS_MS)
})

Callers('twenty sockets destroyed at any moment: nothing stays locked', async () => {
  const callers = Array.from({ length: 20 }, async (_, i) => {
    const { head, body } = rawChat(network, { model: MODEL, stream: i % 2 === 0 })
    const { socket, over } = dial(network.base_url)
    socket.write(head + body)
    await pause(Math.random() * 1_000)
    // Half of them with a reset instead of an end.
    if (i % 4 < 2) socket.resetAndDestroy()
    else socket.destroy()
    await over
  })
  await Promise.all(callers)
  const { jobs } = await audit(network, BOOKS_MS)
  for (const { end } of jobs.values()) {
    assert.ok(end?.type === 'refunded' || (end?.charged ?? 0n) > 0n)
  }
  // Slots are free again: with sixteen of them, sixteen answers begin at once.
  const calls = await Promise.all(
    Array.from({ length: 16 }, () => ask(network, { maxTokens: 20, deadlineMs: 30_000 })),
  )
  calls.forEach(whole)
})

Callers('a reader that stops reading holds nothing up, and can read on', async () => {
  const { head, body } = rawChat(network, { model: MODEL, stream: true })
  const { socket, heard, over } = dial(network.base_url)
  socket.write(head + body)
  const id = await until('headers', () => /x-svc-job-id: (\w+)/.exec(heard())?.[1])
  socket.pause()
  const job = await untilStatus(network, id, 'settled', 90_000)
  await audit(network, BOOKS_MS)
  socket.resume()
  await until('the rest', () => heard().includes('data: [DONE]') || undefined)
  const text = [...heard().matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
    .map(([, content]) => JSON.parse(content ?? '""'))
    .join('')
  assert.is(hashOf(text), job.on_chain.proof_hash)
  socket.destroy()
  await over
})

Callers('half a request and then silence: cut off, and no credit moved', async () => {
  await until('half a head is cut off', () => halfHead.socket.closed, 60_000)
  await until('half a body is cut off', () => halfBody.socket.closed, 150_000)
  for (const { heard } of [halfHead, halfBody]) {
    assert.match(heard(), /^HTTP\/1\.1 408 /)
    assert.match(heard(), '"error":{"code":"request_timeout"')
  }
  assert.ok(performance.now() - halfAt > 14_000)
  await audit(network, BOOKS_MS)
})

Callers.run()

import { randomBytes } from 'node:crypto'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConnectRequest } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { makeSampleEngine } from '../../../src/worker/engines/sample.ts'
import { Rogue, type Say } from '../../fakes/pool/rogue.ts'
import { MODEL, PoolStage } from '../../fakes/pool/stage.ts'
import { SOON_MS, until } from '../../until.ts'

/** Bytes and words that no honest worker would send: the pool lives, and honest workers feel nothing. */
const Grpc = suite<{ stage: PoolStage; rogues: Rogue[] }>('security: gRPC')

/** Another one with SVC_FUZZ_SEED; a failure names its own. */
const SEED = Number(process.env.SVC_FUZZ_SEED ?? 20_261_122)
const OTHER_MODEL = 'meta-llama/Llama-3.3-70B-Instruct'
const GIVEN_UP_MS = 60_000
const MEMORY_MOST_MB = 400

Grpc.before(async (context) => {
  context.rogues = []
  context.stage = await new PoolStage().open()
  await context.stage.agent(
    makeSampleEngine({ models: [{ id: MODEL, contextWindow: 0 }], tokenMs: 0, tokens: 20 }),
  )
})
Grpc.after(async ({ stage, rogues }) => {
  for (const rogue of rogues) rogue.vanish()
  await stage.close()
})

/** Mulberry32: the same numbers for the same seed. */
function dice(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (most: number) => Math.floor(next() * most)
  return {
    below,
    pick: <T>(all: readonly T[]): T => all[below(all.length)]!,
    bytes: (count: number) => Buffer.from(Array.from({ length: count }, () => below(256))),
  }
}
type Dice = ReturnType<typeof dice>

/** The honest worker beside answers whole, however it is besides. */
async function honestIsServed(stage: PoolStage, after: string): Promise<void> {
  const { jobId, reply } = await stage.offer()
  assert.equal(reply, { type: 'taken' }, `seed ${SEED}, after ${after}`)
  await stage.hears(jobId, 'CompleteJob', GIVEN_UP_MS)
  assert.ok(stage.textOf(jobId).length > 0, `seed ${SEED}, after ${after}`)
}

const framed = (payload: Buffer, { compressed = 0, length = payload.length } = {}): Buffer => {
  const head = Buffer.alloc(5)
  head.writeUInt8(compressed, 0)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, payload])
}

/** A stream on which anything can be said. */
function open(session: ClientHttp2Session, headers: Record<string, string> = {}) {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/svc.worker.v1.WorkerService/Connect',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  stream.on('error', () => {}) // reset by the pool, as it may
  stream.resume()
  return stream
}

/** Until the pool has said its last word, whether the other side goes on or not. */
function closed(stream: ClientHttp2Stream, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed || stream.readableEnded) return resolve()
    const late = setTimeout(
      () => reject(new Error(`seed ${SEED}: ${what}: not ended within ${GIVEN_UP_MS} ms`)),
      GIVEN_UP_MS,
    )
    for (const event of ['end', 'close'] as const) {
      stream.once(event, () => {
        clearTimeout(late)
        resolve()
      })
    }
  })
}

const hello = (): Say => ({
  $case: 'hello',
  value: {
    ...{ protocol: 1, worker: Buffer.alloc(20), payee: Buffer.alloc(20) },
    ...{ challengeSignature: Buffer.alloc(64), registrationSignature: Buffer.alloc(64) },
    ...{
      models: [{ id: MODEL, contextWindow: 0 }],
      slots: 1,
      engine: 'e',
      region: 'r',
      agent: 'a',
    },
    ...{ sessionToken: Buffer.alloc(0), resumes: false, priceFloorBps: 0, batches: false },
  },
})

/** What may be said of a job, in the right form. */
const words = (jobId: string): readonly Say[] => [
  { $case: 'accept', value: { jobId } },
  { $case: 'refusal', value: { jobId, reason: 1 } },
  { $case: 'chunks', value: { chunks: [{ jobId, seq: 0, text: 'text' }] } },
  {
    $case: 'completion',
    value: {
      ...{ jobId, outputHash: Buffer.alloc(32), promptTokens: 1, outputTokens: 1, completedAt: 1 },
      ...{ signature: Buffer.alloc(64), finishReason: 1, chunks: 1 },
    },
  },
  { $case: 'failure', value: { jobId, reason: 1, message: 'm' } },
  { $case: 'heartbeat', value: { sentAt: 1 } },
  { $case: 'drain', value: { reason: 'r' } },
  {
    $case: 'batch',
    value: {
      messages: [
        { message: { $case: 'accept', value: { jobId } } },
        { message: { $case: 'chunks', value: { chunks: [{ jobId, seq: 0, text: 'text' }] } } },
      ],
    },
  },
]

const ODD_NUMBERS = [0, 1, 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]
/** Of the fields that are enumerations. */
const ODD_REASONS = [0, 1, 2, 3, 7, 99, -1, 2 ** 31 - 1]
const ODD_TEXTS = ['', '\0', '💥', 'job_', 'x'.repeat(70_000), '__proto__', '../../..', 'a.b.*.>']

/** The same message with some of its fields changed for odd ones. */
function mutated(value: unknown, chance: Dice, depth = 0): unknown {
  if (depth > 0 && chance.below(3) > 0 && typeof value !== 'object') return value
  if (typeof value === 'number') return chance.pick(ODD_NUMBERS)
  if (typeof value === 'string') return chance.pick(ODD_TEXTS)
  if (value instanceof Uint8Array) return chance.bytes(chance.pick([0, 1, 20, 31, 33, 64, 65, 500]))
  if (Array.isArray(value)) {
    const many = Array.from({ length: chance.pick([0, 1, 2, 300]) }, () => value[0])
    return many.map((one) => mutated(one, chance, depth + 1))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      /reason/i.test(name) && typeof one === 'number'
        ? chance.pick(ODD_REASONS)
        : mutated(one, chance, depth + 1),
    ]),
  )
}

/** Its bytes, some of them others, some cut off, some added. */
function damaged(bytes: Buffer, chance: Dice): Buffer {
  const copy = Buffer.from(bytes)
  for (let i = chance.below(6); i > 0 && copy.length > 0; i--)
    copy[chance.below(copy.length)] = chance.below(256)
  const cut = chance.below(4) === 0 ? copy.subarray(0, chance.below(copy.length + 1)) : copy
  return chance.below(4) === 0 ? Buffer.concat([cut, chance.bytes(chance.below(50))]) : cut
}

const encoded = (message: unknown): Buffer =>
  Buffer.from(ConnectRequest.encode({ message } as ConnectRequest).finish())

/** A batch in a batch in a batch: whoever reads them one in the other, without a limit, runs out of stack. */
function nested(depth: number): Buffer {
  const [batch, messages] = [0x4a, 0x0a]
  const all = Buffer.alloc(depth * 12)
  let from = all.length
  for (let level = 0; level < depth * 2; level++) {
    const length = varint(all.length - from)
    from -= length.length
    all.set(length, from)
    all[--from] = level % 2 === 0 ? messages : batch
  }
  return all.subarray(from)
}

function varint(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) return bytes
  }
}

Grpc('frames that are none, or hold garbage, end their stream alone', async ({ stage }) => {
  const chance = dice(SEED)
  const session = connect(`http://${stage.url}`)
  session.on('error', () => {})
  const frames: readonly ((chance: Dice) => Buffer)[] = [
    (c) => c.bytes(1 + c.below(200)),
    (c) => framed(c.bytes(c.below(300))),
    (c) => framed(c.bytes(10), { compressed: 1 }),
    (c) => framed(c.bytes(10), { compressed: 200 }),
    (c) => framed(c.bytes(10), { length: 0xffffffff }),
    (c) => framed(c.bytes(10), { length: 17 * 1024 * 1024 }),
    (c) => framed(damaged(encoded(hello()), c)),
    (c) => framed(damaged(encoded(mutated(hello(), c)), c)),
    () => framed(Buffer.alloc(0)).subarray(0, 3),
    (c) => framed(nested(c.pick([2, 1_000, 500_000]))),
    () => Buffer.concat(Array.from({ length: 500 }, () => framed(Buffer.alloc(0)))),
  ]
  for (let round = 0; round < 12; round++) {
    const streams = frames.map((frame) => {
      const stream = open(session)
      stream.write(frame(chance))
      if (chance.below(4) === 0) stream.close(constants.NGHTTP2_CANCEL)
      else stream.end()
      return stream
    })
    await Promise.all(streams.map((stream, i) => closed(stream, `frame ${i} of round ${round}`)))
  }
  await honestIsServed(stage, 'garbage')
  session.destroy()
})

Grpc('words before hello, and odd heads, are refused', async ({ stage }) => {
  const session = connect(`http://${stage.url}`)
  session.on('error', () => {})
  const early = words('job_01hzzzzzzzzzzzzzzzzzzzzzzz').map((word) => {
    const stream = open(session)
    stream.write(framed(encoded(word)))
    return stream
  })
  const heads = [
    { 'content-type': 'application/json' },
    { ':path': '/svc.worker.v1.WorkerService/Other' },
    { ':path': '/../../etc/passwd' },
    { 'grpc-encoding': 'gzip' },
    { 'grpc-encoding': 'nothing-known' },
    { 'grpc-timeout': '99999999999H' },
    { 'x-long': 'x'.repeat(7_000) },
  ].map((head) => {
    const stream = open(session, head)
    stream.end(framed(encoded(hello())))
    return stream
  })
  const all = [...early, ...heads]
  await Promise.all(all.map((stream, i) => closed(stream, `stream ${i}`)))
  await honestIsServed(stage, 'words before hello')
  session.destroy()
})

Grpc('who is shown out and leaves its own side open is cut off', async ({ stage }) => {
  const session = connect(`http://${stage.url}`)
  session.on('error', () => {})
  const stream = open(session)
  stream.write(framed(encoded({ $case: 'heartbeat', value: { sentAt: 1 } })))
  // The beginning of a message that never ends: it was kept for as long as the stream.
  stream.write(framed(Buffer.alloc(1024), { length: 16 * 1024 * 1024 }))
  await closed(stream, 'a stream that says no hello')
  assert.not.ok(stream.writableEnded)
  await until('its stream to be reset', () => stream.closed, SOON_MS)
  session.destroy()
})

Grpc('a worker that says odd things is dealt with, and no other', async ({ stage, rogues }) => {
  const chance = dice(SEED + 1)
  const before = process.memoryUsage().rss
  for (let key = 20; key < 28; key++) {
    const rogue = new Rogue(stage.url, key, { models: [OTHER_MODEL], slots: 2 })
    rogues.push(rogue)
    await until(
      `rogue ${key} to be met`,
      () => rogue.welcomed || rogue.ended !== undefined,
      SOON_MS,
    )
    rogue.onOffer = ({ jobId }) => rogue.accept(jobId)
    const { jobId } = await stage.offer({ model: OTHER_MODEL })
    const known = words(jobId)
    for (let i = 0; i < 150 && !rogue.ended; i++) {
      const word = chance.pick(known)
      rogue.say({ ...word, value: mutated(word.value, chance) } as Say)
      if (i % 25 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await honestIsServed(stage, `the words of worker ${key}`)
    assert.not.ok(
      stage.told.some((one) => one.type === 'CompleteJob' && one.jobId === jobId),
      `seed ${SEED}: a job was paid for nonsense`,
    )
    rogue.vanish()
  }
  const grownMb = (process.memoryUsage().rss - before) / 1024 / 1024
  assert.ok(grownMb < MEMORY_MOST_MB, `memory grew by ${Math.round(grownMb)} MB`)
})

Grpc(
  'frames over the limit, and a flood of streams that say nothing, hold nothing up',
  async ({ stage }) => {
    const sessions = Array.from({ length: 8 }, () => connect(`http://${stage.url}`))
    for (const session of sessions) session.on('error', () => {})
    const silent = sessions.flatMap((session) => Array.from({ length: 25 }, () => open(session)))
    const large = open(sessions[0]!)
    large.write(framed(randomBytes(17 * 1024 * 1024)))
    await closed(large, 'a frame of 17 MiB')
    await honestIsServed(stage, '200 silent streams')
    // Who says no hello in time is shown out.
    await Promise.all(silent.map((stream, i) => closed(stream, `silent stream ${i}`)))
    for (const session of sessions) session.destroy()
  },
)

Grpc('resets, pings and heads without end hold nothing up', async ({ stage }) => {
  const before = process.memoryUsage().rss
  const resetting = connect(`http://${stage.url}`)
  const pinging = connect(`http://${stage.url}`)
  const heading = connect(`http://${stage.url}`)
  for (const session of [resetting, pinging, heading]) session.on('error', () => {})
  for (let i = 0; i < 3_000 && !resetting.destroyed; i++) {
    open(resetting).close(constants.NGHTTP2_CANCEL)
    if (i % 500 === 0) await honestIsServed(stage, `${i} resets`)
  }
  for (let i = 0; i < 3_000 && !pinging.destroyed; i++) pinging.ping(() => {})
  const heads = Array.from({ length: 100 }, (_, i) => {
    return open(heading, { [`x-${i}`]: 'x'.repeat(60_000) })
  })
  await Promise.all(heads.map((stream, i) => closed(stream, `head ${i}`)))
  await honestIsServed(stage, 'pings and heads')
  for (const session of [resetting, pinging, heading]) session.destroy()
  const grownMb = (process.memoryUsage().rss - before) / 1024 / 1024
  assert.ok(grownMb < MEMORY_MOST_MB, `memory grew by ${Math.round(grownMb)} MB`)
})

Grpc.run()

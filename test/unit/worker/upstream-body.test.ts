import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EngineJob, Piece } from '../../../src/worker/engine.ts'
import { OpenAiEngine } from '../../../src/worker/engines/openai.ts'
import { type Answer, data, stream, Upstream } from '../../fakes/pool/upstream.ts'
import { SOON_MS, until } from '../../until.ts'

const MODEL = 'Qwen/Qwen3-8B'
const JOB: EngineJob = {
  model: MODEL,
  messages: [{ role: 'user', content: 'Hi' }],
  sampling: {},
  outputTokensMax: 1_000,
}

interface Place {
  readonly upstream: Upstream
  readonly ask: (signal?: AbortSignal) => AsyncGenerator<Piece, void, void>
}

async function at(answer: Answer, use: (place: Place) => Promise<void>): Promise<void> {
  const upstream = await new Upstream([MODEL]).open()
  const log = pino({ level: 'silent' })
  const engine = new OpenAiEngine({ url: upstream.url, apiKey: '', wanted: [], log })
  try {
    await engine.models()
    upstream.answer = answer
    await use({
      upstream,
      ask: (signal = new AbortController().signal) => engine.generate(JOB, signal),
    })
  } finally {
    await engine.close()
    await upstream.close()
  }
}

async function whole(pieces: AsyncIterable<Piece>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece.text
  return text
}

const word = (content: string) =>
  data({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })

const Body = suite('what an upstream answers')

Body('what comes while nobody asks is there, all of it, when somebody does', async () => {
  const texts = Array.from({ length: 50 }, (_, i) => `${i} `)
  let written = () => {}
  const isWritten = new Promise<void>((resolve) => {
    written = resolve
  })
  const slowly: Answer = async (_request, response) => {
    await stream(response, texts, { everyMs: 1 })
    written()
  }
  await at(slowly, async ({ ask }) => {
    const pieces: string[] = []
    for await (const { text } of ask()) {
      pieces.push(text)
      await isWritten
    }
    assert.is(pieces.join(''), texts.join(''))
    assert.ok(pieces.length < 10, `in ${pieces.length} reads`)
  })
})

Body('one connection serves job after job', async () => {
  const ports = new Set<number | undefined>()
  const answer: Answer = (_request, response) => {
    ports.add(response.socket?.remotePort)
    return stream(response, ['yes'])
  }
  await at(answer, async ({ ask }) => {
    for (let i = 0; i < 5; i++) {
      await sleep(20) // the end of the question before it
      assert.is(await whole(ask()), 'yes')
    }
    assert.is(ports.size, 1)
  })
})

Body('a connection that was closed while it rested costs no job', async () => {
  const used = new Set<unknown>()
  const closing: Answer = (_request, response) => {
    const { socket } = response
    if (used.has(socket)) return socket?.resetAndDestroy()
    used.add(socket)
    return stream(response, ['yes'])
  }
  await at(closing, async ({ ask, upstream }) => {
    for (let i = 0; i < 3; i++) {
      await sleep(20) // the end of the question before it
      assert.is(await whole(ask()), 'yes')
    }
    assert.ok(upstream.requests.length > used.size, 'none was closed')
  })
})

Body('a server that closes every connection is asked twice, not for ever', async () => {
  await at(
    (_request, response) => response.socket?.resetAndDestroy(),
    async ({ ask, upstream }) => {
      const failed = await whole(ask()).catch((error: unknown) => error)
      assert.match((failed as Error).message, 'cannot be reached')
      assert.is(upstream.requests.length, 2)
    },
  )
})

Body('a connection that breaks while a prompt is read is no reason to ask again', async () => {
  const slow: Answer = async (_request, response) => {
    await sleep(1_200)
    response.socket?.resetAndDestroy()
  }
  await at(slow, async ({ ask, upstream }) => {
    assert.instance(await whole(ask()).catch((error: unknown) => error), Error)
    assert.is(upstream.requests.length, 1)
  })
})

Body('a server that stays open after [DONE] holds nobody up, and is left', async () => {
  let isLeft = false
  const holding: Answer = (_request, response) => {
    response.once('close', () => {
      isLeft = true
    })
    response.write(`${word('yes')}${word('').replace('null', '"stop"')}data: [DONE]\n\n`)
  }
  await at(holding, async ({ ask }) => {
    assert.is(await whole(ask()), 'yes')
    assert.not(isLeft, 'the answer waited for the end of the connection')
    await until('the end of the connection', () => isLeft, 5_000)
  })
})

Body('stopped in the middle, the request is gone', async () => {
  const responses: ServerResponse[] = []
  const endless: Answer = (_request, response) => {
    responses.push(response)
    response.write(word('and '))
  }
  await at(endless, async ({ ask, upstream }) => {
    const stop = new AbortController()
    const reading = whole(ask(stop.signal)).catch((error: unknown) => error)
    await until('the request', () => responses.length === 1, SOON_MS)
    stop.abort()
    assert.instance(await reading, Error)
    await until('the end of the request', () => upstream.cut === 1, SOON_MS)
  })
})

Body('stopped before it began, nothing is asked', async () => {
  await at(
    (_request, response) => stream(response, ['no']),
    async ({ ask, upstream }) => {
      const failed = await whole(ask(AbortSignal.abort())).catch((error: unknown) => error)
      assert.instance(failed, Error)
      assert.is(upstream.requests.length, 0)
    },
  )
})

Body.run()

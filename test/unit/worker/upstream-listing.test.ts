import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OpenAiEngine } from '../../../src/worker/engines/openai.ts'
import { Upstream } from '../../fakes/pool/upstream.ts'
import { makeAuthority } from '../../fakes/tls/certificate.ts'

/** What is made of the list of models, and what the operator reads where there is none. */
const Listing = suite('the models that an upstream lists')

/** @returns the ids, and what was logged */
async function look(url: string) {
  const said: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => said.push(line) })
  const engine = new OpenAiEngine({ url, apiKey: '', wanted: [], log })
  try {
    return { ids: [...(await engine.models()).keys()], said: said.join('') }
  } finally {
    await engine.close()
  }
}

async function withUpstream(play: (upstream: Upstream) => Promise<void>): Promise<void> {
  const upstream = await new Upstream(['a/b']).open()
  await play(upstream).finally(() => upstream.close())
}

Listing('a bare list is one', () =>
  withUpstream(async (upstream) => {
    upstream.list = (response) => response.end('[{"id":"a/b","object":"model"}]')
    assert.equal((await look(upstream.url)).ids, ['a/b'])
  }),
)

Listing('what is no list is asked about', () =>
  withUpstream(async (upstream) => {
    for (const body of ['<html>', '{"data":7}', '{}', '']) {
      upstream.list = (response) => response.end(body)
      const { ids, said } = await look(upstream.url)
      assert.equal(ids, [])
      assert.match(said, 'is --upstream right?')
    }
  }),
)

Listing('one that comes up and wants a key is told of anew, and of which key', () =>
  withUpstream(async (upstream) => {
    const refusing = (status: number) => {
      upstream.list = (response) => {
        response.statusCode = status
        response.end('{"error":{"message":"Say who you are"}}')
      }
    }
    const said: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => said.push(line) })
    const engine = new OpenAiEngine({ url: upstream.url, apiKey: '', wanted: [], log })
    try {
      for (const status of [503, 503, 401, 401]) {
        refusing(status)
        await engine.models()
      }
    } finally {
      await engine.close()
    }
    assert.is(said.length, 2, 'each state once')
    assert.match(said[1]!, /401 \(is the key in UPSTREAM_API_KEY .*: Say who you are/)
  }),
)

Listing('one that counts a look among the requests of a minute still has its models', () =>
  withUpstream(async (upstream) => {
    const { list } = upstream
    const log = pino({ level: 'silent' })
    const engine = new OpenAiEngine({ url: upstream.url, apiKey: '', wanted: [], log })
    const served = async (status: number) => {
      upstream.list = (response) =>
        status === 200 ? list(response) : response.writeHead(status).end('Rate limit exceeded')
      return [...(await engine.models()).keys()]
    }
    try {
      assert.equal(await served(429), [])
      assert.equal(await served(200), ['a/b'])
      assert.equal(await served(429), ['a/b'])
      assert.equal(await served(500), [])
      assert.equal(await served(429), [])
    } finally {
      await engine.close()
    }
  }),
)

Listing('TLS that is not there is said to be missing', () =>
  withUpstream(async (upstream) => {
    const { said } = await look(upstream.url.replace('http:', 'https:'))
    assert.match(said, 'does not speak TLS')
  }),
)

Listing('a certificate of an authority that nobody knows here: what to do about it', async () => {
  const server = createServer(makeAuthority('own').issue('localhost'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const { ids, said } = await look(`https://localhost:${port}/v1`)
    assert.equal(ids, [])
    assert.match(said, 'NODE_EXTRA_CA_CERTS')
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
})

Listing('a proxy that lets nothing but /v1 through is no reason to serve nothing', async () => {
  const asked: (string | undefined)[] = []
  const data = ['a/b', 'c/d'].map((id) => ({ id, owned_by: 'llamacpp', meta: { n_ctx_train: 9 } }))
  const server = createHttpServer(({ url, socket }, response) => {
    if (url === '/v1/models') return response.end(JSON.stringify({ data }))
    asked.push(url)
    return socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const { ids } = await look(`http://127.0.0.1:${port}/v1`)
    assert.equal(ids, ['a/b', 'c/d'])
    assert.equal(asked, ['/props'], 'once, and not once a model')
  } finally {
    server.close()
  }
})

Listing('an upstream that was started anew with less context is offered with less', async () => {
  let entry: object = { max_model_len: 32_768 }
  let loaded = 16_384
  const server = createHttpServer(({ url }, response) => {
    const running = { models: [{ model: 'a/b', context_length: loaded }] }
    const shown = url === '/api/ps' ? (loaded ? running : { models: [] }) : {}
    const data = [{ id: 'a/b', ...entry }]
    response.end(JSON.stringify(url === '/v1/models' ? { data } : shown))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const log = pino({ level: 'silent' })
  const url = `http://127.0.0.1:${port}/v1`
  const engine = new OpenAiEngine({ url, apiKey: '', wanted: [], log })
  const windowOf = async () => (await engine.models()).get('a/b')
  try {
    assert.is(await windowOf(), 32_768)
    entry = { max_model_len: 8_192 }
    assert.is(await windowOf(), 8_192)
    entry = {}
    assert.is(await windowOf(), 8_192, 'it does not tell now')
    entry = { owned_by: 'library' }
    assert.is(await windowOf(), 16_384)
    loaded = 0
    assert.is(await windowOf(), 16_384, 'Ollama has unloaded it, and will load it as before')
  } finally {
    await engine.close()
    server.close()
  }
})

Listing(
  'what llama.cpp still loads is not served, what it loads when it is asked for is',
  async () => {
    let entry: object = {}
    const server = createHttpServer(({ url }, response) => {
      if (url !== '/v1/models') response.statusCode = 503
      const loading = { error: { code: 503, message: 'Loading model' } }
      response.end(JSON.stringify(url === '/v1/models' ? { data: [entry] } : loading))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      const listed = (more: object) => {
        entry = { id: 'a/b', owned_by: 'llamacpp', ...more }
        return look(`http://127.0.0.1:${port}/v1`)
      }
      const { ids, said } = await listed({ meta: null })
      assert.equal(ids, [])
      assert.match(said, 'still loads')
      assert.equal((await listed({ status: { value: 'unloaded' } })).ids, ['a/b'])
      assert.equal((await listed({ owned_by: 'another', meta: null })).ids, ['a/b'])
    } finally {
      server.close()
    }
  },
)

Listing('one that was started anew with less context is offered no more than that', async () => {
  const tokensBy = new Map<string, number>()
  const server = createHttpServer(({ url = '' }, response) => {
    const n = tokensBy.get(url)
    const answers: Record<string, object> = {
      '/v1/models': {
        data: [
          { id: 'a/b', owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } },
          { id: 'c/d', owned_by: 'library' },
        ],
      },
      '/props': { default_generation_settings: { n_ctx: n } },
      '/api/ps': { models: n ? [{ model: 'c/d', context_length: n }] : [] },
    }
    if (!answers[url] || (url === '/props' && !n)) response.statusCode = 503
    response.end(JSON.stringify(answers[url] ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const log = pino({ level: 'silent' })
  const engine = new OpenAiEngine({
    url: `http://127.0.0.1:${port}/v1`,
    apiKey: '',
    wanted: [],
    log,
  })
  const told = async (llama: number, ollama: number) => {
    tokensBy.set('/props', llama).set('/api/ps', ollama)
    return [...(await engine.models()).values()]
  }
  try {
    assert.equal(await told(16_384, 32_768), [16_384, 32_768])
    // What does not tell at the moment, or is not loaded, runs as before.
    assert.equal(await told(0, 0), [16_384, 32_768])
    assert.equal(await told(4_096, 8_192), [4_096, 8_192])
    assert.equal(await told(0, 0), [4_096, 8_192])
  } finally {
    await engine.close()
    server.close()
  }
})

Listing.run()

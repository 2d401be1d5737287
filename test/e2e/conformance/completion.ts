import * as assert from 'uvu/assert'
import { hashOf } from '../calls.ts'
import { bodyOf, chat, readAccount } from '../customer.ts'
import { streamed } from '../streamed.ts'
import { refusedAs } from './envelope.ts'
import { ADDRESS, checkUsage, hasFields, isNow, JOB_ID, TX_HASH } from './forms.ts'
import { ASK, header, NO_JOB, payStream, STANDARD, type Wire, type WireRow } from './wire-stage.ts'

/** The answer, whole and streamed, and the headers it comes with. */
export function completionRows(row: WireRow, wire: () => Wire): void {
  wholeRows(row, wire)
  chunkRows(row, wire)
  headerRows(row, wire)
  streamingRows(row, wire)
  streamingChoices(row, wire)
}

function wholeRows(row: WireRow, wire: () => Wire): void {
  const plain = () => wire().plain()
  row('Chat completion', 'id: chatcmpl- followed by the job ID', async () => {
    const { completion, job } = await plain()
    assert.is(completion.id, `chatcmpl-${job.id}`)
  })
  row('Chat completion', 'object: chat.completion', async () => {
    const { completion } = await plain()
    assert.is(completion.object, 'chat.completion')
    hasFields(completion, ['id', 'object', 'created', 'model', 'choices', 'usage'])
  })
  row('Chat completion', 'created: integer, Unix seconds', async () => {
    isNow((await plain()).completion.created)
  })
  row('Chat completion', 'model: string', async () => {
    assert.is((await plain()).completion.model, STANDARD)
  })
  row(
    'Chat completion',
    'choices: each index, message (role assistant, content), finish_reason',
    async () => {
      const { choices } = (await plain()).completion
      assert.is(choices.length, 1)
      const [choice] = choices
      hasFields(choice, ['index', 'message', 'finish_reason'])
      assert.is(choice.index, 0)
      hasFields(choice.message, ['role', 'content'])
      assert.is(choice.message.role, 'assistant')
      assert.ok(typeof choice.message.content === 'string' && choice.message.content !== '')
      assert.is(choice.finish_reason, 'length')
    },
  )
  row('Chat completion', 'usage: prompt_tokens, completion_tokens, total_tokens', async () => {
    const { usage } = (await plain()).completion
    checkUsage(usage)
    assert.is(usage.completion_tokens, ASK.max_tokens)
    assert.ok(usage.prompt_tokens > 0)
  })
}

function chunkRows(row: WireRow, wire: () => Wire): void {
  const chunks = async () => (await wire().stream()).chunks
  const same = async (field: 'id' | 'created' | 'model') => {
    const values = new Set((await chunks()).map((chunk) => chunk[field]))
    assert.is(values.size, 1, 'one value in every chunk')
    return [...values][0]
  }
  row('Chat completion chunk', 'id', async () => {
    assert.is(await same('id'), `chatcmpl-${(await wire().stream()).job.id}`)
  })
  row('Chat completion chunk', 'object: chat.completion.chunk', async () => {
    for (const { object } of await chunks()) assert.is(object, 'chat.completion.chunk')
  })
  row('Chat completion chunk', 'created', async () => {
    isNow(Number(await same('created')))
  })
  row('Chat completion chunk', 'model', async () => {
    assert.is(await same('model'), STANDARD)
  })
  row('Chat completion chunk', 'choices: each index, delta, finish_reason', async () => {
    for (const { choices } of await chunks()) {
      assert.is(choices.length, 1)
      hasFields(choices[0]!, ['index', 'delta', 'finish_reason'])
      assert.is(choices[0]?.index, 0)
    }
  })
  row('Chat completion chunk', 'finish_reason is null until the last chunk', async () => {
    const reasons = (await chunks()).map(({ choices }) => choices[0]?.finish_reason)
    assert.is(reasons.pop(), 'length')
    for (const reason of reasons) assert.is(reason, null)
  })
}

function headerRows(row: WireRow, wire: () => Wire): void {
  const isOn = async (name: string, form: RegExp) => {
    const { plain, stream } = wire()
    for (const { answer } of [await plain(), await stream()])
      assert.match(header(answer, name), form)
  }
  row('Response headers', 'x-svc-job-id: job created by the request', () =>
    isOn('x-svc-job-id', JOB_ID),
  )
  row('Response headers', 'x-svc-tx-hash: transaction that locked the escrow', () =>
    isOn('x-svc-tx-hash', TX_HASH),
  )
  row('Response headers', 'x-svc-settlement-tx: present once the job completes', async () => {
    const { plain, stream, get } = wire()
    assert.match(header((await plain()).answer, 'x-svc-settlement-tx'), TX_HASH)
    const { answer, job } = await stream()
    assert.is(answer.headers['x-svc-settlement-tx'], undefined)
    assert.is(answer.trailers['x-svc-settlement-tx'], job.on_chain.settlement_tx ?? undefined)
    const later = await get(`/jobs/${job.id}`)
    assert.is(header(later, 'x-svc-settlement-tx'), job.on_chain.settlement_tx)
  })
  row('Response headers', 'x-svc-worker: on-chain address of the serving worker', () =>
    isOn('x-svc-worker', ADDRESS),
  )
  row(
    'Response headers',
    'x-svc-credits-remaining: balance after this request is accounted for',
    async () => {
      const somebody = await wire().buyer(100)
      const answer = await chat(somebody, ASK)
      assert.is(header(answer, 'x-svc-credits-remaining'), '92')
    },
  )

  row('Response headers (choice)', 'every answer carries x-svc-credits-remaining', async () => {
    const { buyer, get } = wire()
    const somebody = await buyer(100)
    const { answer: paid } = await payStream(somebody, { ...ASK, stream: true })
    const { id } = (await payStream(somebody, { ...ASK, stream: true })).job
    assert.is(header(paid, 'x-svc-credits-remaining'), '92')
    const paths = ['/models', `/models/${STANDARD}`, '/account', '/jobs', `/jobs/${id}`]
    const refusals = [`/jobs/${NO_JOB}`, '/models/none', '/jobs?limit=0']
    for (const path of [...paths, ...refusals]) {
      assert.is(header(await get(path, somebody), 'x-svc-credits-remaining'), '84', path)
    }
    for (const body of ['{', {}, { ...ASK, model: 'none' }]) {
      assert.is(header(await chat(somebody, body), 'x-svc-credits-remaining'), '84')
    }
  })
  row(
    'Response headers (choice)',
    'the job headers are on every answer that speaks of one job',
    async () => {
      const { plain, get } = wire()
      const { answer, job } = await plain()
      const later = await get(`/jobs/${job.id}`)
      for (const name of ['job-id', 'tx-hash', 'settlement-tx', 'worker']) {
        assert.is(header(later, `x-svc-${name}`), header(answer, `x-svc-${name}`), name)
      }
    },
  )
  row('Response headers (choice)', 'x-request-id on every answer', async () => {
    const { plain, stream, get } = wire()
    const answers = [(await plain()).answer, (await stream()).answer]
    for (const path of ['/models', '/account', '/jobs', '/none', `/jobs/${NO_JOB}`]) {
      answers.push(await get(path))
    }
    const ids = answers.map((answer) => header(answer, 'x-request-id'))
    assert.is(new Set(ids).size, ids.length)
  })
  row('Response headers (choice)', 'no answer without a key tells a balance', async () => {
    const { get, customer } = wire()
    const unknown = { ...customer, apiKey: `svc_live_${'0'.repeat(32)}` }
    const answer = await get('/account', unknown)
    assert.is(answer.headers['x-svc-credits-remaining'], undefined)
  })
}

function streamingRows(row: WireRow, wire: () => Wire): void {
  const stream = () => wire().stream()
  row('Streaming', 'each event is a line data: <chunk json> followed by a blank line', async () => {
    const { text } = (await stream()).answer
    assert.ok(text.endsWith('\n\n'))
    for (const event of text.slice(0, -2).split('\n\n')) {
      assert.match(event, /^data: [^\n]+$/)
      if (event !== 'data: [DONE]') JSON.parse(event.slice('data: '.length))
    }
  })
  row(
    'Streaming',
    'the first chunk has role assistant plus content, later chunks content',
    async () => {
      const [first, ...later] = (await stream()).chunks.map(({ choices }) => choices[0]!.delta)
      hasFields(first!, ['role', 'content'])
      assert.is(first?.role, 'assistant')
      assert.type(first?.content, 'string')
      for (const delta of later.slice(0, -1)) hasFields(delta, ['content'])
    },
  )
  row('Streaming', 'the last chunk has an empty delta and a non-null finish_reason', async () => {
    const last = (await stream()).chunks.at(-1)?.choices[0]
    assert.equal(last?.delta, {})
    assert.type(last?.finish_reason, 'string')
  })
  row('Streaming', 'the stream ends with data: [DONE]', async () => {
    assert.ok((await stream()).answer.text.endsWith('\n\ndata: [DONE]\n\n'))
  })
  row('Streaming', 'the settlement header is read after the stream closes', async () => {
    const { answer, job } = await stream()
    assert.is(answer.headers.trailer, 'x-svc-settlement-tx')
    assert.is(answer.trailers['x-svc-settlement-tx'], job.on_chain.settlement_tx ?? undefined)
  })
}

function streamingChoices(row: WireRow, wire: () => Wire): void {
  row(
    'Streaming (choice)',
    'errors keep their status: headers wait for the first token',
    async () => {
      const { network, customer, buyer, refuses } = wire()
      const open = { ...ASK, stream: true }
      await refuses({ status: 400, code: 'model_not_found' }, { ...open, model: 'none' })
      const unpaid = { status: 402, code: 'insufficient_credits' }
      await refuses(unpaid, { ...open, max_tokens: 30_000 }, await buyer(100))
      // Too long, as only the worker can tell: the job exists, and nothing was said yet.
      const messages = [{ role: 'user', content: 'a '.repeat(40_000) }]
      const overlong = await chat(customer, { ...open, messages })
      const wanted = { status: 400, code: 'context_length_exceeded' }
      refusedAs(overlong, network.docs_url, wanted)
    },
  )
  row('Streaming (choice)', 'the last chunk carries the svc object', async () => {
    const { answer, chunks, service, job, text } = await wire().stream()
    assert.is(chunks.filter(({ svc }) => svc).length, 1)
    assert.is(chunks.at(-1)?.svc, service)
    const { credits_remaining, ...rest } = service!
    assert.ok(Number.isInteger(credits_remaining))
    assert.equal(rest, {
      job_id: job.id,
      escrow_tx: header(answer, 'x-svc-tx-hash'),
      settlement_tx: job.on_chain.settlement_tx,
      worker: job.worker_address,
      credits_charged: job.credits_charged,
      output_hash: hashOf(text),
    })
    const somebody = await wire().buyer(100)
    const own = await payStream(somebody, { ...ASK, stream: true })
    assert.is(own.service?.credits_remaining, 92)
    assert.is((await readAccount(somebody)).credits_remaining, 92)
  })
  row(
    'Streaming (choice)',
    'include_usage: one extra chunk with choices [] and usage',
    async () => {
      const stream_options = { include_usage: true }
      const answer = await chat(wire().customer, { ...ASK, stream: true, stream_options })
      const { chunks } = streamed(answer)
      const last = chunks.at(-1)
      assert.equal(last?.choices, [])
      checkUsage(last!.usage!)
      assert.is(last?.usage?.completion_tokens, ASK.max_tokens)
      for (const { choices } of chunks.slice(0, -1)) assert.is(choices.length, 1)
      const none = await wire().stream()
      for (const chunk of none.chunks) assert.not('usage' in chunk, 'it was not asked for')
    },
  )
  row(
    'Streaming (choice)',
    'every chunk has the same id, created and model, and choices',
    async () => {
      const { chunks } = await wire().stream()
      const heads = chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)
      assert.is(new Set(heads).size, 1)
      for (const { choices } of chunks) assert.ok(Array.isArray(choices))
    },
  )
  row('Streaming (choice)', 'finish_reason: stop and length', async () => {
    const { customer } = wire()
    assert.is((await wire().stream()).finishReason, 'length')
    const stopped = streamed(await chat(customer, { ...ASK, stream: true, stop: ['imitates'] }))
    assert.is(stopped.finishReason, 'stop')
    const { max_tokens: _, ...open } = ASK
    const whole: { choices: [{ finish_reason: string }] } = bodyOf(await chat(customer, open))
    assert.is(whole.choices[0].finish_reason, 'stop')
  })
}

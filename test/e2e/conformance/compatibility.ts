import * as assert from 'uvu/assert'
import { bodyOf, type Customer, chat, send } from '../customer.ts'
import { refusedAs } from './envelope.ts'
import { hasFields, JOB_ID, MODEL_SVC_FIELDS, TX_HASH } from './forms.ts'
import { ASK, header, payPlain, type Wire, type WireRow } from './wire-stage.ts'

/** What the service does: the compatibility table, and the list before it. */
export function compatibilityRows(row: WireRow, wire: () => Wire): void {
  row('Compatibility', 'POST /v1/chat/completions, including streaming (SSE): yes', async () => {
    const { plain, stream } = wire()
    assert.is((await plain()).answer.status, 200)
    const { answer, text } = await stream()
    assert.match(header(answer, 'content-type'), /^text\/event-stream\b/)
    assert.is(text, (await plain()).text, 'one seed, one answer, however it travels')
  })

  row('Compatibility', 'GET /v1/models, plus an extra svc object per model: yes', async () => {
    const { data } = bodyOf<{ data: { svc: object }[] }>(await wire().get('/models'))
    assert.ok(data.length > 0)
    for (const { svc } of data) hasFields(svc, MODEL_SVC_FIELDS)
  })

  row(
    'Compatibility',
    'max_tokens, temperature, top_p, stop, frequency_penalty, presence_penalty, seed: yes',
    async () => {
      const answer = await chat(wire().customer, {
        ...ASK,
        temperature: 0.7,
        top_p: 0.9,
        stop: ['never said'],
        frequency_penalty: 0.5,
        presence_penalty: -0.5,
      })
      bodyOf(answer)
    },
  )

  row('Compatibility', 'system and multi-turn messages: yes', async () => {
    const { customer, plain } = wire()
    const { completion: whole } = await plain()
    const last = { ...ASK, messages: ASK.messages.slice(-1) }
    const { completion: alone } = await payPlain(customer, last)
    assert.ok(alone.usage.prompt_tokens < whole.usage.prompt_tokens, 'every message is read')
  })

  row('Compatibility', 'tool and function calling: planned (Phase 2)', async () => {
    const call = { type: 'function', function: { name: 'look', parameters: {} } }
    for (const [param, value] of [
      ['tools', [call]],
      ['functions', [{ name: 'look' }]],
    ] as const) {
      const { message } = await wire().refusesFields({ [param]: value }, param)
      assert.match(message, /planned/i)
    }
  })

  row('Compatibility', 'embeddings (/v1/embeddings): planned (Phase 2)', async () => {
    const message = await isNoRoute(wire(), 'POST', '/embeddings', { model: 'any', input: 'a' })
    assert.match(message, /planned/i)
  })

  row('Compatibility', 'image inputs: planned (Phase 2)', async () => {
    const content = [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]
    const messages = [{ role: 'user', content }]
    const { message } = await wire().refusesFields({ messages }, 'messages[0].content[0]')
    assert.match(message, /planned/i)
  })

  row('Compatibility', 'Assistants API: no', async () => {
    await isNoRoute(wire(), 'POST', '/assistants', {})
    await isNoRoute(wire(), 'GET', '/threads/a')
  })

  row('Compatibility', 'fine-tuning API: no', async () => {
    await isNoRoute(wire(), 'POST', '/fine_tuning/jobs', {})
    await isNoRoute(wire(), 'GET', '/fine_tuning/jobs')
  })

  purposeRows(row, wire)
}

function purposeRows(row: WireRow, wire: () => Wire): void {
  row('Purpose', 'every inference request creates a job', async () => {
    const { customer } = wire()
    const answers = [await chat(customer, ASK), await chat(customer, ASK)]
    const ids = answers.map((answer) => header(answer, 'x-svc-job-id'))
    assert.is.not(ids[0], ids[1])
    for (const id of ids) {
      assert.match(id, JOB_ID)
      bodyOf(await send(customer, `/jobs/${id}`))
    }
  })

  row('Purpose', 'every response carries headers that point at the transactions', async () => {
    const { plain, chain } = wire()
    const { answer } = await plain()
    for (const name of ['x-svc-tx-hash', 'x-svc-settlement-tx']) {
      const tx = header(answer, name)
      assert.match(tx, TX_HASH)
      assert.ok(await chain.succeeded(tx as `0x${string}`), `${name} is on chain`)
    }
  })

  row('Purpose', '1 credit = 0.01 of the payment token', async () => {
    const { chain } = wire()
    const { heldUnits, owedUnits } = await chain.books()
    assert.is(heldUnits, owedUnits, 'in units of 6 decimals: 10 000 a credit')
  })

  row('Purpose', 'the API has no purchase endpoint', async () => {
    for (const path of ['/credits', '/purchases', '/account/credits', '/topup', '/billing']) {
      await isNoRoute(wire(), 'POST', path, { credits: 100 })
    }
  })

  row('Purpose', 'the balance is held in job_escrow, keyed by wallet address', async () => {
    const { buyer, chain, get } = wire()
    const somebody = await buyer(100)
    const { available } = await chain.account(somebody.wallet)
    const account = bodyOf<{ credits_remaining: number }>(await get('/account', somebody))
    assert.is(BigInt(account.credits_remaining), available)
  })

  row('Purpose', 'a worker is paid 75% of the credit value', async () => {
    const { plain, chain } = wire()
    const { job } = await plain()
    const settled = await chain.settlement(job.id)
    // 8 credits of 10 000 units.
    assert.is(settled?.args.workerUnits, 60_000n)
    assert.is(settled?.args.treasuryUnits, 20_000n)
  })
}

async function isNoRoute(
  { network, customer }: { network: { docs_url: string }; customer: Customer },
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
  const answer = await send(customer, path, { method, headers, body })
  const wanted = { status: 404, code: 'route_not_found', param: null }
  return refusedAs(answer, network.docs_url, wanted).message
}

import * as assert from 'uvu/assert'
import { bodyOf, type Customer, chat, readAccount } from '../customer.ts'
import {
  ADDRESS,
  hasFields,
  isInteger,
  MODEL_FIELDS,
  MODEL_SVC_FIELDS,
  TIERS,
  timestamp,
} from './forms.ts'
import { MODEL_OF, payPlain, type Wire, type WireRow } from './wire-stage.ts'

interface Model {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly owned_by: string
  readonly svc: {
    readonly tier: string
    readonly credits_per_request: number
    readonly credits_per_1k_tokens: number
    readonly active_workers: number
    readonly median_latency_ms: number
    readonly parameters: string
    readonly context_window: number
  }
}

/** Account and Model, field by field; the price list and the lineup. */
export function accountAndModelRows(row: WireRow, wire: () => Wire): void {
  accountRows(row, wire)
  modelRows(row, wire)
  tierRows(row, wire)
  lineupRows(row, wire)
}

function accountRows(row: WireRow, wire: () => Wire): void {
  row('Account', 'wallet: string, the wallet that owns the key', async () => {
    const { customer } = wire()
    const { wallet } = await readAccount(customer)
    assert.match(wallet, ADDRESS)
    assert.is(wallet.toLowerCase(), customer.wallet)
  })

  row('Account', 'credits_remaining: integer, current credit balance', async () => {
    const { buyer, chain } = wire()
    const somebody = await buyer(123)
    const { credits_remaining } = await readAccount(somebody)
    assert.is(credits_remaining, 123)
    assert.is((await chain.account(somebody.wallet)).available, 123n)
  })

  row('Account', 'usdg_value: number, credits x 0.01', async () => {
    const { usdg_value } = await readAccount(await wire().buyer(157))
    assert.is(usdg_value, 1.57)
  })

  row('Account', 'last_topup_at: timestamp of the last credit purchase', async () => {
    const { buyer } = wire()
    const before = Date.now()
    const { last_topup_at } = await readAccount(await buyer(100))
    const at = timestamp(last_topup_at)
    // A block's time is in whole seconds.
    assert.ok(at >= before - 2_000 && at <= Date.now() + 2_000, `${last_topup_at} is not now`)
  })

  row('Account', 'api_key_created_at: timestamp the key was created', async () => {
    const { buyer } = wire()
    const before = Date.now()
    const account = await readAccount(await buyer(100))
    const at = timestamp(account.api_key_created_at)
    assert.ok(at >= before && at <= Date.now())
    hasFields(account, [
      'wallet',
      'credits_remaining',
      'usdg_value',
      'last_topup_at',
      'api_key_created_at',
    ])
  })
}

function modelRows(row: WireRow, wire: () => Wire): void {
  const models = () => listed(wire())
  const everyModel = async (check: (model: Model) => void) => {
    const all = await models()
    assert.ok(all.length > 0)
    all.forEach(check)
  }
  const everySvc = (check: (svc: Model['svc']) => void) => everyModel(({ svc }) => check(svc))

  row('Model', 'id: string, stable', async () => {
    const [first, again] = [await models(), await models()].map((all) => all.map(({ id }) => id))
    assert.equal(first, again)
    assert.is(new Set(first).size, first?.length)
  })
  row('Model', 'object: always model', () =>
    everyModel((model) => {
      hasFields(model, MODEL_FIELDS)
      assert.is(model.object, 'model')
    }),
  )
  row('Model', 'created: integer, Unix seconds', () =>
    everyModel(({ created }) => {
      isInteger(created, Date.parse('2020-01-01') / 1000)
      assert.ok(created < Date.now() / 1000, 'seconds, not milliseconds')
    }),
  )
  row('Model', 'owned_by: string, publisher', () =>
    everyModel(({ id, owned_by }) => assert.is(owned_by, id.split('/')[0])),
  )
  row('Model', 'svc: object of live network data', () =>
    everySvc((svc) => hasFields(svc, MODEL_SVC_FIELDS)),
  )

  row('Model svc', 'tier: one of lite, standard, pro, max', () =>
    everySvc(({ tier }) => assert.ok(TIERS.includes(tier), tier)),
  )
  row('Model svc', 'credits_per_request: integer, flat cost', () =>
    everySvc(({ credits_per_request }) => isInteger(credits_per_request, 1)),
  )
  row('Model svc', 'credits_per_1k_tokens: integer, rate beyond the flat size', () =>
    everySvc(({ credits_per_1k_tokens }) => isInteger(credits_per_1k_tokens, 1)),
  )
  row('Model svc', 'active_workers: integer, workers serving now', () =>
    everySvc(({ active_workers }) => assert.is(active_workers, 2)),
  )
  row('Model svc', 'median_latency_ms: integer, p50 time to first token', async () => {
    await wire().plain()
    await everySvc(({ median_latency_ms }) => isInteger(median_latency_ms))
  })
  row('Model svc', 'parameters: string like <n>B', () =>
    everySvc(({ parameters }) => assert.match(parameters, /^\d+(\.\d+)?B$/)),
  )
  row('Model svc', 'context_window: integer, tokens', () =>
    everySvc(({ context_window }) => isInteger(context_window, 1_024)),
  )
}

interface Tier {
  readonly tier: keyof typeof MODEL_OF
  readonly billions: readonly [least: number, most: number]
  readonly perRequest: number
  readonly per1k: number
}

function tierRows(row: WireRow, wire: () => Wire): void {
  const is = async ({ tier, billions, perRequest, per1k }: Tier) => {
    const models = (await listed(wire())).filter(({ svc }) => svc.tier === tier)
    assert.ok(models.length > 0, `no model of ${tier}`)
    for (const { svc } of models) {
      const size = Number.parseFloat(svc.parameters)
      assert.ok(size >= billions[0] && size <= billions[1], svc.parameters)
      assert.is(svc.credits_per_request, perRequest)
      assert.is(svc.credits_per_1k_tokens, per1k)
    }
    const ask = { messages: [{ role: 'user', content: 'Hello' }], model: MODEL_OF[tier] }
    const { job: short } = await payPlain(wire().customer, { ...ask, max_tokens: 20 })
    assert.is(short.tier, tier)
    assert.is(short.credits_charged, perRequest)
    const { job: long } = await payPlain(wire().customer, { ...ask, max_tokens: 1_500 })
    assert.is(long.usage?.completion_tokens, 1_500)
    assert.is(long.credits_charged, perRequest + per1k)
  }
  row('Pricing tiers', 'lite: 1B to 3B, 2 per request, 1 per 1,000 output tokens', () =>
    is({ tier: 'lite', billions: [1, 3], perRequest: 2, per1k: 1 }),
  )
  row('Pricing tiers', 'standard: 7B to 8B, 8 per request, 4 per 1,000 output tokens', () =>
    is({ tier: 'standard', billions: [7, 8], perRequest: 8, per1k: 4 }),
  )
  row('Pricing tiers', 'pro: 13B to 27B, 18 per request, 9 per 1,000 output tokens', () =>
    is({ tier: 'pro', billions: [13, 27], perRequest: 18, per1k: 9 }),
  )
  row('Pricing tiers', 'max: 70B and up, 40 per request, 20 per 1,000 output tokens', () =>
    is({ tier: 'max', billions: [70, Infinity], perRequest: 40, per1k: 20 }),
  )
}

const K = 1_024

function lineupRows(row: WireRow, wire: () => Wire): void {
  const are = async (count: number, parameters: string, window: number, tier: string) => {
    const found = (await listed(wire())).filter(({ svc }) => svc.parameters === parameters)
    assert.is(found.length, count)
    for (const { id, svc } of found) {
      assert.is(svc.tier, tier)
      assert.is(svc.context_window, window)
      const body = { model: id, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }
      bodyOf(await chat(wire().customer, body))
    }
  }
  row('Launch lineup', 'two 70B models, context 128K, tier max', () =>
    are(2, '70B', 128 * K, 'max'),
  )
  row('Launch lineup', 'a 27B model, context 128K, tier pro', () => are(1, '27B', 128 * K, 'pro'))
  row('Launch lineup', 'a 14B model, context 32K, tier pro', () => are(1, '14B', 32 * K, 'pro'))
  row('Launch lineup', 'an 8B and a 7B model, context 32K, tier standard', async () => {
    await are(1, '8B', 32 * K, 'standard')
    await are(1, '7B', 32 * K, 'standard')
  })
  row('Launch lineup', 'a 3B model, context 128K, tier lite', () => are(1, '3B', 128 * K, 'lite'))
  row('Launch lineup', 'a 1.7B model, context 32K, tier lite', () => are(1, '1.7B', 32 * K, 'lite'))
}

export async function listed({ get }: Pick<Wire, 'get'>, by?: Customer): Promise<readonly Model[]> {
  return bodyOf<{ data: Model[] }>(await get('/models', by)).data
}

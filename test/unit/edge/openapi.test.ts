import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { errorBody } from '../../../src/api/http/errors.ts'
import { tooMany } from '../../../src/api/http/too-many.ts'
import { publicModel } from '../../../src/api/models/public-model.ts'
import { JOB_STATUSES } from '../../../src/api/schemas/job.ts'
import { FINISH_REASONS } from '../../../src/domain/chat.ts'
import { type Credits, toCredits } from '../../../src/domain/credits.ts'
import { ERRORS, type ErrorCode } from '../../../src/domain/errors.ts'
import { type Address, type Hex32, makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { TIERS } from '../../../src/domain/tiers.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { SseChunks, serviceObject } from '../../../src/edge/answer/sse-chunks.ts'
import { publicAccount } from '../../../src/edge/callers/public-account.ts'
import { openApiDocument } from '../../../src/edge/openapi/document.ts'
import type { Operation } from '../../../src/edge/openapi/operation.ts'
import * as operations from '../../../src/edge/openapi/operations.ts'
import { publicJob } from '../../../src/messages/public-job.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { LINEUP } from '../../fakes/memory-catalogue.ts'
import { DocumentedSchemas } from './openapi-answers.ts'
import { openApiFaults, operationsOf } from './openapi-rules.ts'

/** Whatever the edge can make of its own values fits what the document says of it. */
const OpenApi = suite('openapi')

const document = openApiDocument({
  endpoints: Object.values<Operation>(operations).map((operation) => ({
    method: 'get',
    url: ['', operation.id, ...Object.keys(operation.path ?? {}).map(() => ':id')].join('/'),
    body: undefined,
    operation,
  })),
  baseUrl: 'http://edge.test/v1',
  docsUrl: 'http://docs.test',
  names: defaultNames,
})
const documented = new DocumentedSchemas(document)

OpenApi('the document keeps the rules of OpenAPI 3.1', () => {
  assert.equal(openApiFaults(document), [])
})

OpenApi('every code of the table is one that some endpoint, or every path, can answer', () => {
  const codes = Object.values(document.components.responses).flatMap(
    (response) => response['x-error-codes'] ?? [],
  )
  // Of paths and methods that are no endpoint.
  const elsewhere = ['route_not_found', 'method_not_allowed']
  assert.equal([...new Set([...codes, ...elsewhere])].sort(), Object.keys(ERRORS).sort())
})

OpenApi('a refusal of a request that may be traced names the trace, as its answer does', () => {
  const { components } = document
  const headersOf = ({ id }: Operation) => {
    const { operation } = operationsOf(document).find((each) => each.operation.operationId === id)!
    const answers = Object.values(operation.responses).map((response) =>
      '$ref' in response ? components.responses[response.$ref.split('/').at(-1)!]! : response,
    )
    return answers.map(({ headers }) => Object.keys(headers))
  }
  const ofJob = headersOf(operations.createChatCompletion).filter((names) =>
    names.includes('x-svc-job-id'),
  )
  assert.ok(ofJob.length > 5)
  for (const names of ofJob) assert.ok(names.includes('x-svc-trace-id'), names.join())
  const others = [operations.disputeJob, operations.listJobs].flatMap(headersOf)
  assert.not(others.flat().includes('x-svc-trace-id'))
})

OpenApi('any job', () => {
  property(views, (view) => documented.faultsAs('Job', publicJob(view, view.escrow)))
})

OpenApi('any account', () => {
  const accounts = fc.record({
    wallet: addresses,
    at: moments,
    remaining: credits,
    topup: orNull(moments),
  })
  property(accounts, ({ wallet, at, remaining, topup }) =>
    documented.faultsAs(
      'Account',
      publicAccount({ wallet, keyCreatedAt: at }, { remaining, lastTopupAt: topup }),
    ),
  )
})

OpenApi('any model', () => {
  const models = fc.record({
    model: fc.record({ of: fc.constantFrom(...LINEUP), retiresAt: orNull(moments) }),
    activeWorkers: fc.integer({ min: 1, max: 1e6 }),
    firstTokenMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
    contextWindow: fc.integer({ min: 1, max: 131_072 }),
  })
  property(models, ({ firstTokenMs, model: { of, retiresAt }, ...live }) =>
    documented.faultsAs(
      'Model',
      publicModel(
        { ...live, model: { ...of, retiresAt }, firstTokenMs: () => firstTokenMs },
        defaultNames.object,
      ),
    ),
  )
})

OpenApi('any stream', () => {
  const streams = fc.record({
    jobId: jobIds,
    includeUsage: fc.boolean(),
    texts: fc.array(fc.string({ unit: 'grapheme' })),
    finishReason: fc.constantFrom(...FINISH_REASONS),
    worker: addresses,
    tx: hashes,
    settlement: fc.option(hashes, { nil: undefined }),
    charged: credits,
    remaining: fc.option(credits, { nil: undefined }),
    usage: usages,
  })
  property(streams, ({ texts, finishReason, usage, ...facts }) => {
    const { objectField } = defaultNames
    const identity = { ...facts, created: 1, model: 'Qwen/Qwen3-8B', objectField }
    const chunks = new SseChunks(identity)
    const ending = {
      ...({ type: 'completed', attempt: 1, chunks: texts.length, lock: facts.charged } as const),
      ...{ ...facts, escrowTx: facts.tx, outputHash: facts.tx, usage, finishReason },
    }
    const events = [
      chunks.first(texts[0] ?? ''),
      ...texts.map((text) => chunks.text(text)),
      chunks.last(finishReason, serviceObject(ending, facts.settlement, facts.remaining)),
      chunks.usage(usage),
    ]
    return events
      .map((event) => JSON.parse(event.slice('data: '.length)))
      .map((chunk) => documented.faultsAs('ChatCompletionChunk', chunk))
      .join('')
  })
})

OpenApi('any refusal', () => {
  const refusals = fc.record({
    code: fc.constantFrom(...(Object.keys(ERRORS) as ErrorCode[])),
    message: fc.string(),
    param: fc.option(fc.string(), { nil: undefined }),
  })
  property(refusals, ({ param, ...refusal }) =>
    documented.faultsAs(
      'Error',
      errorBody({ ...refusal, ...(param === undefined ? {} : { param }) }, 'http://docs.test'),
    ),
  )
})

OpenApi('a refusal by the burst limit, with its seconds', () => {
  const burst = { terms: { perSecond: 50, burst: 200 }, take: () => 3, stop: () => {} }
  const raw = { socket: { remoteAddress: '192.0.2.1' } }
  const request = { routeOptions: {}, ip: '192.0.2.1', raw } as unknown as FastifyRequest
  const { refusal } = tooMany(burst, request)!
  assert.equal(refusal.details, { retry_after: 3 })
  assert.is(documented.faultsAs('Error', errorBody(refusal, 'http://docs.test')), '')
})

OpenApi('what the document does not name is found', () => {
  const account = publicAccount(
    { wallet: toAddress(`0x${'1'.repeat(40)}`), keyCreatedAt: toUnixMs(0) },
    { remaining: toCredits(1), lastTopupAt: null },
  )
  assert.is(documented.faultsAs('Account', account), '')
  assert.match(documented.faultsAs('Account', { ...account, more: 1 }), 'additional properties')
  assert.match(documented.faultsAs('Account', { ...account, usdg_value: '0.01' }), 'number')
})

function property<T>(values: fc.Arbitrary<T>, faults: (value: T) => string): void {
  fc.assert(fc.property(values, (value) => assert.is(faults(value), '')))
}

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const hexOf = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
const addresses: fc.Arbitrary<Address> = hexOf(40).map((hex) => toAddress(`0x${hex}`))
const hashes: fc.Arbitrary<Hex32> = hexOf(64).map((hex) => toHex32(`0x${hex}`))
const credits: fc.Arbitrary<Credits> = fc.nat().map(toCredits)
const moments = fc.integer({ min: 0, max: 4e12 }).map(toUnixMs)
const jobIds = fc
  .tuple(moments, fc.uint8Array({ minLength: 16, maxLength: 16 }))
  .map(([at, random]) => makeJobId(at, random))
const usages = fc.record({ promptTokens: fc.nat(), completionTokens: fc.nat() })
const views = fc.record({
  id: jobIds,
  wallet: addresses,
  status: fc.constantFrom(...JOB_STATUSES),
  model: fc.constantFrom(...LAUNCH_LINEUP.map(({ id }) => id)),
  tier: fc.constantFrom(...TIERS),
  lock: credits,
  charged: credits,
  worker: orNull(addresses),
  createdAt: moments,
  completedAt: orNull(moments),
  escrowTx: orNull(hashes),
  settlementTx: orNull(hashes),
  refundTx: orNull(hashes),
  disputeTx: orNull(hashes),
  disputedHash: orNull(hashes),
  block: orNull(fc.nat()),
  proofHash: orNull(hashes),
  usage: orNull(usages),
  escrow: addresses,
})

OpenApi.run()

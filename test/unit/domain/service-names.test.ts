import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError, readConfig } from '../../../src/config/read.ts'
import { actorsSchema, edgeSchema } from '../../../src/config/schema.ts'
import { webSchema } from '../../../src/config/web-schema.ts'
import { newApiKey } from '../../../src/domain/api-key.ts'
import { serviceNames, whyNoPrefix } from '../../../src/domain/service-names.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { signatureHeaders } from '../../../src/domain/webhook-signature.ts'
import { inNames } from '../../../src/edge/openapi/written-names.ts'
import { keyHint } from '../../../src/messages/keyring.ts'
import { defaultNames } from '../../fakes/default-names.ts'

const Names = suite('service names')
const acme = serviceNames('acme')

Names('where nobody names anything they are those of the specification', () => {
  assert.equal(Object.values(defaultNames.headers), [
    'x-svc-job-id',
    'x-svc-tx-hash',
    'x-svc-settlement-tx',
    'x-svc-worker',
    'x-svc-credits-remaining',
    'x-svc-trace-id',
  ])
  const { object, objectField, keyStart, signature } = defaultNames
  assert.equal(
    [object, objectField, keyStart, signature],
    ['svc', '"svc":', 'svc_live_', 'Svc-Signature'],
  )
})

Names('a prefix is in all of them', () => {
  const { headers, object, objectField, keyStart, signature } = acme
  assert.is(headers.jobId, 'x-acme-job-id')
  assert.is(headers.settlementTx, 'x-acme-settlement-tx')
  assert.equal([object, JSON.parse(`{${objectField}1}`)], ['acme', { acme: 1 }])
  assert.equal([keyStart, signature], ['acme_live_', 'Acme-Signature'])
})

Names('a key fits its own prefix, and no other', () => {
  const randomBytes = (count: number) => new Uint8Array(count).fill(61)
  const key = newApiKey(acme, { randomBytes })
  assert.is(key, `acme_live_${'9'.repeat(32)}`)
  assert.ok(acme.keyPattern.test(key))
  const others = ['svc_live_', 'xacme_live_', 'acme_test_', 'ACME_live_', 'acme_live_x']
  for (const start of others) assert.not.ok(acme.keyPattern.test(start + '9'.repeat(32)), start)
  assert.is(keyHint(key), 'acme_live_9999…9999', 'as much of the secret as with any prefix')
})

Names('a delivery is signed in their header', () => {
  const delivery = { eventId: 'evt_1', at: toUnixMs(1_000), body: '{}', secret: 's' }
  const { 'Acme-Signature': header, ...rest } = signatureHeaders(delivery, acme)
  assert.match(header!, /^t=1,v1=[0-9a-f]{64}$/)
  assert.equal(Object.keys(rest), ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
})

Names('documentation is said with them, and other words stay', () => {
  const written =
    '`x-svc-worker`, svc_live_…, Svc-Signature, svc-signature, model.svc["a"], "svc":{}'
  const said =
    '`x-acme-worker`, acme_live_…, Acme-Signature, acme-signature, model.acme["a"], "acme":{}'
  assert.is(inNames(written, acme), said)
  assert.is(inNames(written, defaultNames), written)
  for (const other of ['$SVC_API_KEY', 'msvcrt', 'svc2', 'services']) {
    assert.is(inNames(other, acme), other)
  }
})

const [locker, settler] = ['1', '2'].map((digit) => `0x${digit.repeat(64)}`)
const given = {
  LOCKER_PRIVATE_KEY: locker!,
  SETTLER_PRIVATE_KEY: settler!,
  WEB_DEVELOPMENT: 'true',
}

Names('every role that says them reads the same setting', () => {
  for (const schema of [edgeSchema, webSchema, actorsSchema]) {
    assert.is(readConfig(schema, given).SERVICE_PREFIX, 'svc')
    const named = { ...given, SERVICE_PREFIX: 'acme2' }
    assert.is(readConfig(schema, named).SERVICE_PREFIX, 'acme2')
  }
})

Names('a prefix that cannot be used ends the start, by name', () => {
  const malformed = ['Acme', 'acme-ai', 'acme_', '2acme', 'a b', 'ä', 'a'.repeat(17), '.*', 'sv\nc']
  const taken = ['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'webhook']
  for (const prefix of [...malformed, ...taken]) {
    assert.ok(whyNoPrefix(prefix), prefix)
    assert.throws(() => serviceNames(prefix), /service prefix/, prefix)
    const failed = (error: unknown) =>
      error instanceof ConfigError && /SERVICE_PREFIX: must (not )?be /.test(error.message)
    assert.throws(() => readConfig(edgeSchema, { SERVICE_PREFIX: prefix }), failed, prefix)
  }
  for (const prefix of ['a', 'a'.repeat(16), 'a1', 'models']) {
    assert.is(whyNoPrefix(prefix), undefined, prefix)
  }
})

Names.run()

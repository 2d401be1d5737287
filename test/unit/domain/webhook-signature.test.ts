import { createHmac } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toUnixMs } from '../../../src/domain/time.ts'
import { signatureHeaders } from '../../../src/domain/webhook-signature.ts'
import { defaultNames } from '../../fakes/default-names.ts'

const Signature = suite('webhook signature')
const delivery = {
  eventId: 'evt_1',
  at: toUnixMs(1_780_315_200_999),
  body: '{"event":"job.completed","text":"grüße ✓"}',
  secret: 'whsec_grüße',
}

Signature('is the HMAC of time and raw body, in lowercase hex, at whole seconds', () => {
  const { 'Svc-Signature': header } = signatureHeaders(delivery, defaultNames)
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? []
  assert.is(t, '1780315200')
  const expected = createHmac('sha256', delivery.secret).update(`${t}.${delivery.body}`)
  assert.is(v1, expected.digest('hex'))
})

Signature('the Standard Webhooks headers sign the event id as well', () => {
  const headers = signatureHeaders(delivery, defaultNames)
  assert.is(headers['webhook-id'], 'evt_1')
  assert.is(headers['webhook-timestamp'], '1780315200')
  const expected = createHmac('sha256', Buffer.from(delivery.secret, 'utf8'))
    .update(`evt_1.1780315200.${delivery.body}`)
    .digest('base64')
  assert.is(headers['webhook-signature'], `v1,${expected}`)
})

Signature('a known value, from openssl', () => {
  const known = {
    eventId: 'evt_known',
    at: toUnixMs(1_700_000_000_000),
    body: '{}',
    secret: 'secret-of-a-test',
  }
  const headers = signatureHeaders(known, defaultNames)
  assert.equal(headers, {
    'Svc-Signature':
      't=1700000000,v1=74a829810e6c5344b21ff71ac72e0bfcfe5b4e7f095abe7eccf4e555b4a3eb40',
    'webhook-id': 'evt_known',
    'webhook-timestamp': '1700000000',
    'webhook-signature': 'v1,G0e7kVAVAkfIII8vRaYfEgJP3/fOHmLWqppT6h526+s=',
  })
})

Signature.run()

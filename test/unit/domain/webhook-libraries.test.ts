import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toUnixMs } from '../../../src/domain/time.ts'
import { signatureHeaders } from '../../../src/domain/webhook-signature.ts'
import { defaultNames } from '../../fakes/default-names.ts'

/** What receivers use that know nothing of this service. */
const Libraries = suite('webhook signatures and the libraries of others')

const body = JSON.stringify({ id: 'evt_1', event: 'job.completed', data: { text: 'ä € 😀' } })
const OLD_MS = 301_000

/** As a receiver has them: the names of headers have no case. */
const sign = (secret: string, at = Date.now()): Record<string, string> => {
  const headers = signatureHeaders(
    { eventId: 'evt_1', at: toUnixMs(at), body, secret },
    defaultNames,
  )
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

const stripe = (headers: Record<string, string>, secret: string, sent = body) =>
  Stripe.webhooks.constructEvent(sent, headers['svc-signature']!, secret)
const standard = (headers: Record<string, string>, secret: string, sent = body) =>
  new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' }).verify(sent, headers)

for (const secret of [
  '0123456789abcdef',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'ein Schlüssel €',
]) {
  for (const [name, verify] of [
    ['stripe', stripe],
    ['standardwebhooks', standard],
  ] as const) {
    Libraries(`${name} accepts what ${secret} has signed`, () => {
      assert.equal(verify(sign(secret), secret), JSON.parse(body))
    })

    Libraries(`${name} refuses what was changed, is old, or another's (${secret})`, () => {
      assert.throws(() => verify(sign(secret), secret, body.replace('completed', 'failed')))
      assert.throws(() => verify(sign(secret), secret, `${body} `))
      assert.throws(() => verify(sign(secret), `${secret}x`))
      assert.throws(() => verify(sign(secret, Date.now() - OLD_MS), secret))
      for (const [header, value] of Object.entries(sign(secret))) {
        if (name === 'stripe' && header !== 'svc-signature') continue
        if (name === 'standardwebhooks' && header === 'svc-signature') continue
        assert.throws(() => verify({ ...sign(secret), [header]: tampered(value) }, secret), header)
      }
    })
  }
}

Libraries('standardwebhooks with an id that is not the signed one', () => {
  const secret = '0123456789abcdef'
  assert.throws(() => standard({ ...sign(secret), 'webhook-id': 'evt_2' }, secret))
})

/** One character in the middle is another. */
function tampered(value: string): string {
  const middle = Math.floor(value.length / 2)
  const other = value[middle] === '1' ? '2' : '1'
  return value.slice(0, middle) + other + value.slice(middle + 1)
}

Libraries.run()

import * as assert from 'uvu/assert'
import { edgeSchema } from '../../../src/config/schema.ts'
import { type Network, startNetwork } from '../../network/network.ts'
import { pause } from '../../until.ts'
import { type Answer, type Customer, firstCustomer, newCustomer, send } from '../customer.ts'
import { conformance } from './conformance.ts'
import { refusedAs } from './envelope.ts'
import { ROWS } from './rows.ts'

/** The burst limit, on a network whose limit is small enough to be met. */
const suite = conformance('burst', ROWS.burst)
const { row } = suite

const BURST = 20
/** Slow, so that a busy machine meets the limit as a quick one does. */
const PER_SECOND = 2

let network: Network
let customer: Customer
let addresses = 0

suite.before(async () => {
  network = await startNetwork({
    env: {
      EDGE_BURST: String(BURST),
      EDGE_BURST_PER_SECOND: String(PER_SECOND),
      // So that a test can speak for many addresses.
      EDGE_TRUST_PROXY: '127.0.0.1',
    },
  })
  customer = firstCustomer(network)
})
suite.after(async () => {
  await network?.stop()
})

/** An address that nobody spoke from before. */
const newAddress = (): string => `203.0.113.${++addresses}`

const from = (address: string, by = customer): Promise<Answer> =>
  send(by, '/account', { headers: { 'x-forwarded-for': address } })

const atOnce = (count: number, ask: () => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, ask))

async function aRefusal(): Promise<Answer> {
  const address = newAddress()
  const answers = await atOnce(BURST * 3, () => from(address))
  const refused = answers.find(({ status }) => status === 429)
  if (!refused) throw new Error(`${answers.length} requests at once were all answered`)
  return refused
}

const wanted = { status: 429, code: 'rate_limited', param: null }

row('HTTP statuses', '429: per-IP burst limit', async () => {
  const { type } = refusedAs(await aRefusal(), network.docs_url, wanted)
  assert.is(type, 'rate_limit_error')
})

row('Error codes (choice)', 'rate_limited 429 with a retry-after header', async () => {
  const { headers } = await aRefusal()
  const seconds = Number(headers['retry-after'])
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds))
})

row('Burst limit (choice)', 'a token bucket: a burst passes, and time fills it again', async () => {
  const address = newAddress()
  const began = performance.now()
  const answers = await atOnce(BURST * 3, () => from(address))
  const tookMs = performance.now() - began
  const passed = answers.filter(({ status }) => status === 200).length
  const filledMeanwhile = Math.ceil((tookMs / 1_000) * PER_SECOND)
  assert.ok(passed >= BURST && passed <= BURST + filledMeanwhile + 1, `${passed} passed`)
  for (const answer of answers) {
    if (answer.status !== 200) refusedAs(answer, network.docs_url, wanted)
  }
  await pause(1_100)
  assert.is((await from(address)).status, 200)
})

row('Burst limit (choice)', 'the limit is per IP, not per key', async () => {
  const address = newAddress()
  await atOnce(BURST * 3, () => from(address))
  const other = await newCustomer(network)
  const sameAddress = await atOnce(BURST, () => from(address, other))
  assert.ok(sameAddress.some(({ status }) => status === 429))
  assert.is((await from(newAddress())).status, 200, 'the same key from elsewhere')
})

row('Burst limit (choice)', '50 requests a second and bursts of 200, unless set otherwise', () => {
  const { EDGE_BURST, EDGE_BURST_PER_SECOND } = edgeSchema.parse({})
  assert.equal([EDGE_BURST, EDGE_BURST_PER_SECOND], [200, 50])
})

suite.run()

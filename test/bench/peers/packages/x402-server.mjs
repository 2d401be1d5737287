// A chat-completions endpoint that is paid a request by x402, in front of UPSTREAM_URL.
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'
import { listen } from './listen.mjs'

const { FACILITATOR_URL, UPSTREAM_URL, CHAIN_ID, ASSET, ASSET_NAME, PAY_TO } = process.env
const network = `eip155:${CHAIN_ID}`
const facilitator = new HTTPFacilitatorClient({ url: FACILITATOR_URL })
const resources = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme())
/** Two credits: what the cheapest request of the network costs. */
const price = { asset: ASSET, amount: '20000', extra: { name: ASSET_NAME, version: '1' } }
const accepts = { scheme: 'exact', network, payTo: PAY_TO, price }

const app = express()
app.use(paymentMiddleware({ 'POST /v1/chat/completions': { accepts } }, resources))
app.post('/v1/chat/completions', express.text({ type: '*/*' }), async ({ body }, response) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${UPSTREAM_URL}/chat/completions`, { method: 'POST', headers, body })
  response
    .status(answer.status)
    .type('application/json')
    .send(await answer.text())
})
listen(app)

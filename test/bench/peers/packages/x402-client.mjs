// Sends REQUESTS paid requests to URL, CONCURRENCY at a time, with x402's own client; prints one line of
// JSON: how many failed, and each one's milliseconds.
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const { URL: url, PRIVATE_KEY, CHAIN_ID, MODEL } = process.env
const [requests, concurrency] = [Number(process.env.REQUESTS), Number(process.env.CONCURRENCY)]
const account = privateKeyToAccount(PRIVATE_KEY)
const pay = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: `eip155:${CHAIN_ID}`, client: new ExactEvmScheme(account) }],
  spendControls: false,
})
const messages = [{ role: 'user', content: 'Say a hundred words.' }]
const body = JSON.stringify({ model: MODEL, max_tokens: 200, messages })
const headers = { 'content-type': 'application/json' }

let left = requests
let failed = 0
const ms = []
const began = performance.now()
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (left-- > 0) {
      const sent = performance.now()
      const answer = await pay(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
      const text = await answer.text()
      if (answer.ok) ms.push(performance.now() - sent)
      else if (failed++ === 0) process.stderr.write(`${answer.status} ${text}\n`)
    }
  }),
)
const seconds = (performance.now() - began) / 1_000
process.stdout.write(`${JSON.stringify({ requests, failed, seconds, ms })}\n`)

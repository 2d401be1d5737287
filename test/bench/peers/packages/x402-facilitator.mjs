// x402's facilitator from its packages, with the nonce manager that its own examples use: verifies and
// settles payments on the chain at RPC_URL. Prints its URL when it listens.
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import express from 'express'
import { createWalletClient, defineChain, http, nonceManager, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { listen } from './listen.mjs'

const { RPC_URL, CHAIN_ID, PRIVATE_KEY } = process.env
const chain = defineChain({
  id: Number(CHAIN_ID),
  name: 'local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [RPC_URL] } },
})
const account = privateKeyToAccount(PRIVATE_KEY, { nonceManager })
const client = createWalletClient({ account, chain, transport: http(RPC_URL), pollingInterval: 10 })
const signer = toFacilitatorEvmSigner({
  ...client.extend(publicActions),
  address: account.address,
})
const facilitator = new x402Facilitator()
registerExactEvmScheme(facilitator, { signer, networks: `eip155:${CHAIN_ID}` })

const app = express().use(express.json())
app.get('/supported', (_request, response) => response.json(facilitator.getSupported()))
for (const what of ['verify', 'settle']) {
  app.post(`/${what}`, async ({ body }, response) => {
    response.json(await facilitator[what](body.paymentPayload, body.paymentRequirements))
  })
}
listen(app)

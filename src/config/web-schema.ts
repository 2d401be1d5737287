import { z } from 'zod'
import { flag, port, positiveNumber, privateKey, trustedProxies, wholeNumber } from './read.ts'
import {
  chain,
  disputeWindow,
  docsUrl,
  leaving,
  naming,
  redis,
  shared,
  window,
} from './shared-settings.ts'

const webAddress = () =>
  z
    .url({ protocol: /^https?$/, message: 'must be an http or https address' })
    .transform((url) => url.replace(/\/+$/, ''))

const webSettings = z.object({
  ...shared,
  ...leaving,
  ...redis,
  ...chain,
  ...window,
  ...naming,
  DISPUTE_WINDOW_SECONDS: disputeWindow,
  WEB_HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  WEB_PORT: port(8081).describe('port of the web app'),
  WEB_URL: webAddress()
    .default('http://127.0.0.1:8081')
    .refine((url) => new URL(url).origin === url, 'must be a scheme and a host, without a path')
    .describe('where people reach the web app; only pages of this origin may use a session'),
  WEB_TRUST_PROXY: trustedProxies().describe('as EDGE_TRUST_PROXY, for this port'),
  WEB_BURST: wholeNumber(200, 0, 1_000_000).describe(
    'requests that one address may send at once, counted over all web processes; 0: no limit',
  ),
  WEB_BURST_PER_SECOND: wholeNumber(50, 1, 1_000_000).describe(
    'requests a second that one address may go on with',
  ),
  WEB_SESSION_HOURS: wholeNumber(12, 1, 168).describe('how long a sign-in lasts'),
  WEB_RPC_URL: webAddress()
    .optional()
    .describe(
      'JSON-RPC of the settlement chain for browsers: everybody reads it, so it holds no key of a ' +
        'provider. RPC_URL by default, with WEB_DEVELOPMENT only',
    ),
  EXPLORER_URL: webAddress()
    .optional()
    .describe('block explorer of the settlement chain; <WEB_URL>/explorer by default'),
  API_BASE_URL: webAddress()
    .default('http://127.0.0.1:8080/v1')
    .describe('what clients of the public API are pointed at; ends in /v1'),
  DOCS_URL: docsUrl,
  CHAIN_NAME: z.string().optional().describe('what people call the settlement chain'),
  CHAIN_COIN: z.string().default('ETH').describe("symbol of the chain's own coin"),
  WALLETCONNECT_PROJECT_ID: z.string().optional().describe('of WalletConnect; unset: not offered'),
  WEB_RELAYER_PRIVATE_KEY: privateKey()
    .optional()
    .describe(
      'pays the gas of deposits that wallets only sign; it needs some coin and no role. Best one of ' +
        'its own for each process. Unset: wallets send their deposits themselves',
    ),
  WEB_RELAYER_MAX_FEE_GWEI: positiveNumber(100).describe(
    "most that it pays for a unit of gas, in billionths of the chain's coin; dearer: wallets send",
  ),
  WEB_DEVELOPMENT: flag().describe(
    'for development: a wallet in the browser, and test funds for everybody, as in npm start',
  ),
})
export const webSchema = webSettings.superRefine((config, context) => {
  if (config.WEB_RPC_URL || config.WEB_DEVELOPMENT) return
  const message = 'must be set: browsers are told it, and RPC_URL may hold a key'
  context.addIssue({ code: 'custom', path: ['WEB_RPC_URL'], message })
})
export type WebConfig = z.infer<typeof webSchema>

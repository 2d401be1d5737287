import { z } from 'zod'
import { wholeNumber } from './read.ts'

/** Settings that several roles take. */

export const shared = {
  NATS_URL: z.string().default('nats://127.0.0.1:4222').describe('NATS servers, comma-separated'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('least level that is logged'),
}
export const redis = {
  REDIS_URL: z.string().default('redis://127.0.0.1:6379').describe('Redis server'),
}
export const chain = {
  RPC_URL: z.string().default('http://127.0.0.1:8545').describe('JSON-RPC of the settlement chain'),
  CONTRACTS_FILE: z
    .string()
    .default('.svc/contracts.json')
    .describe('address file that the deployment wrote'),
}
export const window = {
  // Anyone may take back a lock 180 s old: the window must end before, with time to settle.
  JOB_WINDOW_SECONDS: wholeNumber(120, 1, 150).describe('a job not finished by then is refunded'),
}

// The contract takes disputes until 600 s after the settlement: the window must end well before.
export const disputeWindow = wholeNumber(60, 1, 300).describe(
  'how long after its final output token an answer can be contested',
)
export const docsUrl = z
  .url({ protocol: /^https?$/, message: 'must be an http or https address' })
  .default('http://127.0.0.1:8080/docs')
  .transform((url) => url.replace(/\/+$/, ''))
  .describe('documentation site that error.docs links to')

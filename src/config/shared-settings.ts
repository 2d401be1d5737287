import { z } from 'zod'
import { DEFAULT_PREFIX, whyNoPrefix } from '../domain/service-names.ts'
import { wholeNumber } from './read.ts'

/** Settings that several roles take. */

export const shared = {
  NATS_URL: z
    .string()
    .default('nats://127.0.0.1:4222')
    .describe('NATS servers, comma-separated; with tls:// only over TLS'),
  NATS_REPLICAS: wholeNumber(1, 1, 5).describe(
    'how many servers of a NATS cluster keep each stream and bucket: 3 in production, on nats-server ' +
      '2.11 or newer; the same for all roles',
  ),
  MONITOR_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address where MONITOR_PORT listens; it is not for callers'),
  MONITOR_PORT: wholeNumber(0, 0, 65_535).describe(
    'port of /metrics, /healthz and /readyz for operators; one of its own for each process of a ' +
      'machine. 0: none',
  ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('least level that is logged'),
}
/** As `connectNats` takes them. */
export const natsOf = (config: { readonly NATS_URL: string; readonly NATS_REPLICAS: number }) => ({
  servers: config.NATS_URL,
  replicas: config.NATS_REPLICAS,
})
export const redis = {
  REDIS_URL: z.string().default('redis://127.0.0.1:6379').describe('Redis server'),
}
/** How a process leaves that others send work to. */
export const leaving = {
  LEAVE_SECONDS: wholeNumber(5, 0, 300).describe(
    'after SIGTERM: so long requests are still taken on while /readyz says 503, and a pool keeps its ' +
      'workers working while they find another; longer than a load balancer needs to notice',
  ),
  DRAIN_SECONDS: wholeNumber(125, 1, 600).describe(
    'after that: so long what is running may go on before it is cut. By default a whole job fits',
  ),
}
/** After this long a process that was asked to end is not waited for. */
export const leavingMs = (config: { LEAVE_SECONDS: number; DRAIN_SECONDS: number }): number =>
  (config.LEAVE_SECONDS + config.DRAIN_SECONDS) * 1_000 + LEAVING_MARGIN_MS
const LEAVING_MARGIN_MS = 15_000

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
/** Of the roles that say public names. */
export const naming = {
  SERVICE_PREFIX: z
    .string()
    .superRefine((prefix, context) => {
      const message = whyNoPrefix(prefix)
      if (message) context.addIssue({ code: 'custom', message })
    })
    .default(DEFAULT_PREFIX)
    .describe(
      'what public names begin with: headers x-svc-…, keys svc_live_…, the header Svc-Signature and ' +
        'the object svc. The same for all roles; keys that begin otherwise are refused',
    ),
}
export const docsUrl = z
  .url({ protocol: /^https?$/, message: 'must be an http or https address' })
  .default('http://127.0.0.1:8080/docs')
  .transform((url) => url.replace(/\/+$/, ''))
  .describe('documentation site that error.docs links to')

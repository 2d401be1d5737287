import { randomBytes } from 'node:crypto'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connectNats } from '../../src/bus/connect.ts'
import { apiKeyHash } from '../../src/domain/hash.ts'
import { type Address, toAddress } from '../../src/domain/ids.ts'
import { privateKeyAddress } from '../../src/domain/proof.ts'
import { type KeyRecord, keyRecord } from '../../src/messages/key-record.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import type { Network } from '../network/network.ts'
import { until } from '../until.ts'
import type { Account, Job } from './public-shapes.ts'

/** Somebody with a wallet and an API key, who knows nothing of the network but its address. */
export interface Customer {
  /** Ends in /v1. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly wallet: Address
  readonly privateKey: `0x${string}`
}

/** Whatever came back, as it came. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly trailers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

export interface Request {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is when text or bytes, else as JSON. */
  readonly body?: unknown
  /** Given: instead of the customer's own; null: none. */
  readonly authorization?: string | null
}

const ANSWER_MS = 60_000

/** The wallet that a development network is born with. */
export const firstCustomer = (network: Network): Customer => ({
  baseUrl: network.base_url,
  apiKey: network.api_key,
  wallet: toAddress(network.wallet.address),
  privateKey: `0x${network.wallet.private_key.slice(2)}`,
})

/** Makes a wallet without credits and lets its key in, as the web app would. */
export async function newCustomer(
  network: Network,
  status: KeyRecord['status'] = 'active',
): Promise<Customer> {
  const secret = randomBytes(32)
  const customer: Customer = {
    baseUrl: network.base_url,
    apiKey: `svc_live_${randomBytes(16).toString('hex')}`,
    wallet: privateKeyAddress(secret),
    privateKey: `0x${secret.toString('hex')}`,
  }
  const { apiKey, wallet } = customer
  const record = keyRecord(apiKey, { wallet, createdAt: Date.now(), status })
  await withKeys(network, (keys) => keys.set(apiKeyHash(apiKey), record))
  return customer
}

export async function revokeKey(network: Network, customer: Customer): Promise<void> {
  await withKeys(network, async (keys) => {
    await keys.delete(apiKeyHash(customer.apiKey))
  })
}

/** Sends one request on a connection of its own and reads the answer to its end. */
export function send(customer: Customer, path: string, options: Request = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, authorization } = options
  const credentials = authorization === undefined ? `Bearer ${customer.apiKey}` : authorization
  return new Promise((resolve, reject) => {
    const outgoing = request(`${customer.baseUrl}${path}`, {
      method,
      agent: false,
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: { ...(credentials === null ? {} : { authorization: credentials }), ...headers },
    })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0, headers, trailers } = response
        resolve({ status: statusCode, headers, trailers, text })
      })
    })
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === undefined
    outgoing.end(isRaw ? body : JSON.stringify(body))
  })
}

export const chat = (customer: Customer, body: unknown): Promise<Answer> =>
  send(customer, '/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })

export async function readAccount(customer: Customer): Promise<Account> {
  return bodyOf(await send(customer, '/account'))
}

export async function readJob(customer: Customer, jobId: string): Promise<Job> {
  return bodyOf(await send(customer, `/jobs/${jobId}`))
}

/** @throws what the job is instead, when it is not of this status in time */
export async function jobBecomes(
  customer: Customer,
  jobId: string,
  is: (job: Job) => boolean,
): Promise<Job> {
  let last: Job | undefined
  return until(
    () => `job: ${JSON.stringify(last)}`,
    async () => {
      last = await readJob(customer, jobId)
      return is(last) ? last : undefined
    },
  )
}

export const jobSettles = (customer: Customer, jobId: string): Promise<Job> =>
  jobBecomes(customer, jobId, ({ status }) => status === 'settled')

export async function balanceBecomes(customer: Customer, credits: number): Promise<void> {
  let last: number | undefined
  await until(
    () => `balance: ${last} where ${credits} was awaited`,
    async () => {
      last = (await readAccount(customer)).credits_remaining
      return last === credits
    },
  )
}

interface WithAccounts {
  account(wallet: Address): Promise<{ readonly available: bigint; readonly locked: bigint }>
}

/**
 * What the wallet has once nothing of it is locked and the API tells what the chain says: a balance
 * to compare with later. Before that, what an earlier job gives back may still be on its way.
 */
export async function restingBalance(customer: Customer, chain: WithAccounts): Promise<number> {
  let last: unknown
  return until(
    () => `the balance does not come to rest: ${last}`,
    async () => {
      const { available, locked } = await chain.account(customer.wallet)
      const told = (await readAccount(customer)).credits_remaining
      last = `${available} available and ${locked} locked on chain, ${told} told`
      return locked === 0n && BigInt(told) === available ? told : undefined
    },
  )
}

/** The JSON of an answer that succeeded. */
export function bodyOf<T>({ status, text }: Answer): T {
  if (status !== 200) throw new Error(`200 was awaited, not ${status}: ${text}`)
  return JSON.parse(text)
}

type Keys = Awaited<ReturnType<Awaited<ReturnType<typeof connectNats>>['registry']>>

async function withKeys(network: Network, work: (keys: Keys) => Promise<void>): Promise<void> {
  const log = makeLog('test', 'silent')
  const nats = await connectNats({ servers: network.nats_url, name: 'test', log })
  try {
    await work(await nats.registry('KEYS'))
  } finally {
    await nats.close()
  }
}

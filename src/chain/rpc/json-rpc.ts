import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { OperatorError } from '../../domain/operator-error.ts'
import { ChainUnavailable, type Hex } from '../../ports/escrow.ts'
import { isAskedTooMuch } from './asked-too-much.ts'
import { isOvertaken, OVERTAKEN_TRIES } from './moving-head.ts'
import { isTooWide, takesTooLong } from './too-wide.ts'

/** JSON-RPC to one node, over connections that stay open. */
export interface Rpc {
  /**
   * `Result` is what the method is specified to answer; values in it are parsed where they are used.
   * @throws {ChainUnavailable} no answer, or too many questions for now @throws {RpcError} the node refuses
   */
  call<Result>(method: string, params: readonly unknown[]): Promise<Result>
  close(): Promise<void>
}

/** The node answered, with an error; or not in JSON, or not in time, to a range of blocks that may be too wide. */
export class RpcError extends ChainUnavailable {
  constructor(
    method: string,
    readonly code: number,
    readonly reason: string,
    /** Of a call that reverted: what the contract said, where the node passes it on. */
    readonly data?: unknown,
  ) {
    super(`${method}: ${reason} (${code})`)
  }
}

/** Whether a call was executed and reverted. Code 3 is what geth and those after it say of it. */
export const isRevert = (error: RpcError): boolean =>
  error.code === 3 || /revert/i.test(error.reason) || revertDataOf(error) !== undefined

/**
 * What a contract said when it reverted, as nodes put it into `data`: bare (geth), behind a word (nethermind),
 * or in an object (hardhat and what is made of it). Undefined: nothing of the kind.
 */
export function revertDataOf({ data }: RpcError): Hex | undefined {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  const found = typeof inner === 'string' ? /^(?:revert\w* )?(0x[0-9a-f]{8,})$/i.exec(inner) : null
  return found?.[1] as Hex | undefined
}

interface Answer {
  readonly id?: unknown
  readonly result?: unknown
  /** As specified; from what stands before a node it may be anything. */
  readonly error?: unknown
}

/** A node that starts, or a proxy whose node is away, may answer them with null all the same. */
const ALWAYS_KNOWN =
  /^eth_(?:blockNumber|call|chainId|get(?:Balance|Code|Logs|TransactionCount)|estimateGas|feeHistory)$/

const CONNECTIONS = 4
const TIMEOUT_MS = 10_000
/**
 * Before a provider is asked again that has had too many questions in this second: longer than that together, and
 * shorter than a node may be silent before it counts as down.
 */
const TOO_MUCH_WAITS_MS = [300, 600, 1_200]

/** @throws {OperatorError} where `rpcUrl` is no address of a node */
export function makeRpc(rpcUrl: string, timeoutMs = TIMEOUT_MS): Rpc {
  const url = nodeAddress(rpcUrl)
  const pool = new Pool(url.origin, {
    connections: CONNECTIONS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs },
  })
  const request = {
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: { 'content-type': 'application/json', ...authorization(url) },
  } as const
  let asked = 0

  // By its own handler: a body that is a stream costs as much as all the rest of a question.
  const post = (id: number, method: string, params: readonly unknown[]) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      const chunks: Buffer[] = []
      let status = 0
      pool.dispatch(
        { body, ...request },
        {
          // Undici asks for it, and has nothing to say there.
          onRequestStart: () => {},
          onResponseStart: (_, code) => {
            status = code
          },
          onResponseData: (_, chunk) => {
            chunks.push(chunk)
          },
          onResponseEnd: () => resolve({ status, text: Buffer.concat(chunks).toString('utf8') }),
          onResponseError: (_, error) => reject(error),
        },
      )
    })

  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    // The URL stays out of messages: providers put their key in it.
    const id = ++asked
    const { status, text } = await post(id, method, params).catch((error: unknown) => {
      if (takesTooLong(method, error)) throw new RpcError(method, 0, 'it takes the node too long')
      throw new ChainUnavailable(`${method}: the node does not answer`, { cause: error })
    })
    const answer = parseAnswer(text)
    const refusal = answer?.error ? refusalOf(method, answer.error) : undefined
    // There a contract speaks, and not the node.
    if (refusal && isRevert(refusal)) throw refusal
    if (isAskedTooMuch({ method, status, refusal })) {
      throw new AskedTooMuch(refusal?.message ?? `${method}: the node answered HTTP ${status}`)
    }
    if (refusal) throw refusal
    if (status !== 200 || !answer || answer.result === undefined) {
      const told = `the node answered HTTP ${status} and no result`
      if (isTooWide(method, status)) throw new RpcError(method, status, told)
      throw new ChainUnavailable(`${method}: ${told}`)
    }
    // Some proxies make a string of it.
    if (String(answer.id) !== String(id)) {
      throw new ChainUnavailable(`${method}: the node answered another question`)
    }
    // A nonce of nothing would be the first one.
    if (answer.result === null && ALWAYS_KNOWN.test(method)) {
      throw new ChainUnavailable(`${method}: the node has nothing to tell yet`)
    }
    return answer.result
  }

  const askPatiently = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    for (const waitMs of TOO_MUCH_WAITS_MS) {
      try {
        return await ask(method, params)
      } catch (error) {
        if (!(error instanceof AskedTooMuch)) throw error
        await sleep(waitMs)
      }
    }
    return ask(method, params)
  }

  return {
    call: async <Result>(method: string, params: readonly unknown[]) => {
      for (let tries = 1; ; tries++) {
        try {
          return (await askPatiently(method, params)) as Result
        } catch (error) {
          const isLast = tries === OVERTAKEN_TRIES || !(error instanceof RpcError)
          if (isLast || !isOvertaken(params, error.reason)) throw error
        }
      }
    },
    close: () => pool.close(),
  }
}

/** Asked for less at a time, the node would refuse as well: for callers it is as good as down. */
class AskedTooMuch extends ChainUnavailable {}

/** Gateways have been seen to answer with the words alone. */
function refusalOf(method: string, error: unknown): RpcError {
  if (typeof error !== 'object' || error === null) return new RpcError(method, 0, String(error))
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
  return new RpcError(method, Number(code ?? 0), String(message ?? 'refused without a word'), data)
}

function nodeAddress(rpcUrl: string): URL {
  const url = URL.canParse(rpcUrl) ? new URL(rpcUrl) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  // No more of it than its scheme: providers put their key in it.
  const scheme = /^[a-z][a-z0-9+.-]*:(?=\/\/)/i.exec(rpcUrl)?.[0]
  throw new OperatorError(
    `RPC_URL must begin with http:// or https://${scheme ? `, not ${scheme}//` : ' and name a host'}; set ` +
      'it to the JSON-RPC address of a node of the settlement chain, such as http://127.0.0.1:8545',
  )
}

function parseAnswer(text: string): Answer | undefined {
  try {
    const told: unknown = JSON.parse(text)
    // Some gateways answer one question as if it were a list of one.
    const answer: unknown = Array.isArray(told) ? told[0] : told
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined // a proxy's error page: the caller tells its status
  }
}

function authorization({ username, password }: URL): Record<string, string> {
  if (!username) return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

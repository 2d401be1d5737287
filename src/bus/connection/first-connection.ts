import {
  type ConnectionOptions,
  connect,
  ErrorCode,
  type NatsConnection,
  type NatsError,
} from 'nats'
import { OperatorError } from '../../domain/operator-error.ts'
import { hostAndPort } from '../../telemetry/host-and-port.ts'
import type { Log } from '../../telemetry/log.ts'

interface Options extends ConnectionOptions {
  /** Without users and passwords. */
  readonly servers: string[]
}

const LOOK_MS = 2_000
const DEFAULT_PORT = 4_222

/**
 * Waits for a server for as long as there is none, as a role may come up before it. The library does so
 * without a word: so it is said once who is waited for and why, and once more when they are there.
 * @throws {OperatorError} where they do not let us in
 */
export async function firstConnection(options: Options, log: Log): Promise<NatsConnection> {
  const servers = options.servers.map((server) => hostAndPort(server, DEFAULT_PORT)).join(', ')
  const said = { servers, setting: 'NATS_URL' }
  let waiting = true
  let isTold = false
  const look = async () => {
    const err = await whyNot(options)
    if (!waiting) return
    if (!err) return lookLater()
    isTold = true
    log.warn({ ...said, err }, 'nats: not reachable, and waited for: NATS_URL, or its servers')
  }
  let timer: NodeJS.Timeout
  const lookLater = () => {
    timer = setTimeout(() => void look(), LOOK_MS)
  }
  lookLater()
  try {
    const connection = await connectToAny(options)
    if (isTold) log.info(said, 'nats: connected')
    return connection
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new OperatorError(
      `NATS: the server does not let this user in (${servers}: authorization violation); set NATS_URL to ` +
        'the user of the role, with the password that the server has for it',
      { cause: error },
    )
  } finally {
    waiting = false
    clearTimeout(timer!)
  }
}

/**
 * The library gives up at the second refusal. Where passwords are replaced one server after the other, a third may
 * let us in: so each is the first to be asked once.
 */
async function connectToAny(options: Options): Promise<NatsConnection> {
  let refusal: unknown
  for (const [index] of options.servers.entries()) {
    const servers = [...options.servers.slice(index), ...options.servers.slice(0, index)]
    try {
      // Beginning anywhere, unless that was no use: so that not all roles are on one server.
      const noRandomize = refusal !== undefined
      return await connect({ ...options, servers, noRandomize, waitOnFirstConnect: true })
    } catch (error) {
      if (!isRefusal(error)) throw error
      refusal = error
    }
  }
  throw refusal
}

const isRefusal = (error: unknown): boolean =>
  (error as Partial<NatsError>)?.code === ErrorCode.AuthorizationViolation

/** What is in the way of a connection now, by trying another one; undefined: nothing any more. */
async function whyNot(options: Options): Promise<Error | undefined> {
  try {
    const connection = await connect({ ...options, reconnect: false, timeout: LOOK_MS })
    await connection.close()
    return undefined
  } catch (error) {
    if ((error as Partial<NatsError>)?.code === ErrorCode.ServerOptionNotAvailable) {
      return new Error('the server speaks no TLS, and NATS_URL says tls://')
    }
    // The library throws `undefined` where a connection ends before a word was said.
    return error instanceof Error ? error : new Error('the connection ended at once')
  }
}

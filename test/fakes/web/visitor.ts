import { request } from 'node:http'
import type { Hex } from 'viem'
import type { privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import type { SessionNonce } from '../../../src/web/api.ts'

/** Whatever came back, as it came. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

type Account = ReturnType<typeof privateKeyToAccount>

interface Options {
  /** Where the app is reached, and what it calls itself. */
  readonly origin: string
  /** Where it really listens; the origin by default. */
  readonly address?: string
}

export interface Ask {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export interface SignInTerms {
  readonly nonce?: string
  readonly domain?: string
  readonly uri?: string
  readonly chainId?: number
  readonly issuedAt?: Date
  readonly expirationTime?: Date
  readonly notBefore?: Date
  /** Who is named in the message; the account itself by default. */
  readonly address?: Hex
}

const ANSWER_MS = 30_000

/** What a browser does for a page of ours: keeps the cookie, and tells the origin. */
export class Visitor {
  cookie: string | undefined
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  send(path: string, { method = 'GET', body, headers = {} }: Ask = {}): Promise<Answer> {
    const { origin, address = origin } = this.#options
    const usual: Record<string, string | undefined> = {
      ...(method === 'GET' ? {} : { origin, 'content-type': 'application/json' }),
      cookie: this.cookie,
      ...headers,
    }
    const sent = Object.entries(usual).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    return new Promise((resolve, reject) => {
      const outgoing = request(`${address}${path}`, {
        method,
        agent: false,
        signal: AbortSignal.timeout(ANSWER_MS),
        headers: Object.fromEntries(sent),
      })
      outgoing.on('error', reject)
      outgoing.on('response', (response) => {
        this.#keep(response.headers['set-cookie'])
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        response.on('error', reject)
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        })
      })
      outgoing.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
    })
  }

  async json<T>(path: string, ask: Ask = {}): Promise<T> {
    const { status, text } = await this.send(path, ask)
    if (status >= 300) throw new Error(`${ask.method ?? 'GET'} ${path}: ${status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }

  post<T>(path: string, body?: unknown): Promise<T> {
    return this.json<T>(path, { method: 'POST', body: body ?? {} })
  }

  /** Asks for a nonce and writes the message that the app would have signed. */
  async message(address: Hex, chainId: number, terms: SignInTerms = {}): Promise<string> {
    const { origin } = this.#options
    const nonce = terms.nonce ?? (await this.post<SessionNonce>('/api/session/nonce')).nonce
    return createSiweMessage({
      version: '1',
      domain: new URL(origin).host,
      uri: origin,
      chainId,
      statement: 'Sign in.',
      ...terms,
      nonce,
      address: terms.address ?? address,
    })
  }

  async signIn(account: Account, chainId: number, terms: SignInTerms = {}): Promise<Answer> {
    const message = await this.message(account.address, chainId, terms)
    const signature = await account.signMessage({ message })
    return this.send('/api/session', { method: 'POST', body: { message, signature } })
  }

  #keep(lines: readonly string[] | undefined): void {
    for (const line of lines ?? []) {
      const [pair = ''] = line.split(';')
      if (!pair.startsWith('svc_session=')) continue
      this.cookie = pair === 'svc_session=' ? undefined : pair
    }
  }
}

export const codeOf = ({ text }: Answer): string => JSON.parse(text).error.code

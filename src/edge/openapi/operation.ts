import type { TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { ErrorCode } from '../../domain/errors.ts'
import { assert } from '../../domain/result.ts'
import type { HeaderName } from './response-headers.ts'

/** What the documentation tells of one endpoint beyond what its route validates. */
export interface Operation {
  /** Unique; generated clients name their method after it. */
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  /** Markdown. */
  readonly description: string
  readonly needsKey: boolean
  /** Parameters in the path, in the order of the route's own. */
  readonly path?: Readonly<Record<string, TSchema>>
  readonly query?: Readonly<Record<string, TSchema>>
  readonly headers?: Readonly<Record<string, TSchema>>
  /** Kept away from serialization: what is sent is the route's business. */
  readonly answer: Answer
  /** Beside those that every endpoint can answer with. */
  readonly errors: readonly ErrorCode[]
  /** Codes that have another status here than the table says. */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, number>>>
  /** A refusal may speak of a job, and then names it in its headers. */
  readonly concernsJob?: true
}

export interface Answer {
  /** 200 where it is not told. */
  readonly status?: 201
  readonly description: string
  readonly headers: readonly HeaderName[]
  /** Media type to schema. */
  readonly content: Readonly<Record<string, TSchema>>
}

export const TAGS = {
  Chat: 'Answers, whole or streamed. Every request is a job.',
  Models: 'What is served now, at what price, how fast.',
  Jobs: 'Past requests and their transactions.',
  Account: 'The wallet behind the key.',
  Webhooks: 'Endpoints of yours that events are delivered to.',
  Service: 'About the service itself; no key needed.',
} as const
export type Tag = keyof typeof TAGS

export interface Endpoint {
  readonly method: string
  /** As the route was declared, with `:name` and `*`. */
  readonly url: string
  /** What validates the body. */
  readonly body: object | undefined
  readonly operation: Operation
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
    /** No endpoint: a refusal that has a path. */
    undocumented?: true
  }
}

/** Every endpoint that is declared from now on. One under /v1 that tells nothing of itself is a bug. */
export function collectEndpoints(server: FastifyInstance): readonly Endpoint[] {
  const endpoints: Endpoint[] = []
  server.addHook('onRoute', ({ method, url, schema, config }) => {
    if (!config?.operation) {
      assert(config?.undocumented || !url.startsWith('/v1'), `${url} has no documentation`)
      return
    }
    if (method === 'HEAD') return
    const body = schema?.body
    endpoints.push({
      method: String(method).toLowerCase(),
      url,
      body: typeof body === 'object' && body !== null ? body : undefined,
      operation: config.operation,
    })
  })
  return endpoints
}

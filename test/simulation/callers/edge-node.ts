import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { makeBalances } from '../../../src/api/balances.ts'
import { errorBody, RefusalError } from '../../../src/api/http/errors.ts'
import { makeJobHistory } from '../../../src/api/jobs/job-history.ts'
import { makeJobs } from '../../../src/api/jobs/jobs.ts'
import { makePools } from '../../../src/api/models/pools.ts'
import { ERRORS } from '../../../src/domain/errors.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { DurationMs } from '../../../src/domain/time.ts'
import { type Auth, makeAuth } from '../../../src/edge/callers/auth.ts'
import { makeAdmission } from '../../../src/edge/chat/admission.ts'
import { makeChainHealth } from '../../../src/edge/chat/chain-health.ts'
import { makeJobTimes } from '../../../src/edge/chat/job-times.ts'
import { bodyDigest, hasJoinKey } from '../../../src/edge/chat/join-key.ts'
import { makeJoining } from '../../../src/edge/chat/joining.ts'
import { makeRunJob, type RunJob } from '../../../src/edge/chat/run-job.ts'
import { account } from '../../../src/edge/routes/account.ts'
import { chatCompletions } from '../../../src/edge/routes/chat-completions.ts'
import { dispute } from '../../../src/edge/routes/dispute.ts'
import { jobs as jobRoutes } from '../../../src/edge/routes/jobs.ts'
import { makeSharedJobs } from '../../../src/edge/waiting/shared-jobs.ts'
import { makeWaiting } from '../../../src/edge/waiting/waiting.ts'
import type { Bus } from '../../../src/ports/bus.ts'
import type { Catalogue } from '../../../src/ports/catalogue.ts'
import { inTime, pause } from '../../../src/ports/clock.ts'
import type { JobViews } from '../../../src/ports/job-views.ts'
import type { KeyUses } from '../../../src/ports/key-uses.ts'
import type { Ledger } from '../../../src/ports/ledger.ts'
import type { Outputs } from '../../../src/ports/outputs.ts'
import type { Registry } from '../../../src/ports/registry.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { noMetrics } from '../../fakes/no-metrics.ts'
import type { Node } from '../world.ts'
import type { Response } from './response.ts'

/** What an edge is given, bound to its node. */
export interface EdgeNodePorts {
  readonly bus: Bus
  readonly catalogue: Catalogue
  readonly ledger: Ledger
  readonly outputs: Outputs
  readonly jobViews: JobViews
  /** Bucket KEYS. */
  readonly keys: Registry
}

export interface EdgeNodeSettings {
  readonly escrowAddress: Address
  readonly jobWindowMs: DurationMs
  readonly lockWaitMaxMs: DurationMs
}

/** One HTTP request as it reaches an edge. */
export interface Asked {
  readonly route: 'chat' | 'dispute' | 'account' | 'jobs' | 'job'
  /** As `Authorization` has it. */
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly response: Response
  /** The job that answers a chat request: for who watches, callers are not told. */
  taken(jobId: JobId, how: 'admitted' | 'joined'): void
}

export interface EdgeNode {
  readonly node: Node
  /** Runs in the edge's process: only to be called there. */
  ask(asked: Asked): void
  /** As on SIGTERM. */
  stop(): Promise<void>
}

const DOCS_URL = 'https://docs.example'
const CANCELLATIONS_MS = 3_000
const DRAIN_MS = 1_000

/** The real edge as `src/edge/edge.ts` puts it together, without sockets and keys. */
export function startEdge(
  node: Node,
  given: EdgeNodePorts,
  settings: EdgeNodeSettings,
  broken: (what: string) => void,
): EdgeNode {
  const { clock, log } = node
  const ports = { ...given, clock, log }
  const names = defaultNames
  const edgeId = Buffer.from(clock.randomBytes(8)).toString('hex')
  const auth = makeAuth({ ...ports, keyUses: NO_USES, names })
  const pools = makePools(ports)
  const waiting = makeWaiting({ ...ports, edgeId })
  const jobs = makeJobs({ ...ports, replyTo: waiting.replyTo })
  const history = makeJobHistory({ ...ports, jobs })
  const balances = makeBalances(ports)
  const sharedJobs = makeSharedJobs({ ...ports, waiting, jobs, balances })
  const chainHealth = makeChainHealth({ ...ports, ...settings })
  const admission = makeAdmission({ ...ports, ...settings, pools, chainHealth, balances })
  const joining = makeJoining({ ...ports, ...settings, sharedJobs, jobs, balances })
  const times = makeJobTimes({ metrics: noMetrics, clock })
  const runJob = makeRunJob({ ...ports, waiting, sharedJobs, jobs, times })

  const handlerOf = (asked: Asked): Handler => {
    const watched: RunJob = {
      run: (taken, ...rest) => {
        asked.taken(taken.job.jobId, taken.type)
        return runJob.run(taken, ...rest)
      },
    }
    switch (asked.route) {
      case 'chat': {
        const chat = { admission, joining, runJob: watched, balances, clock, names }
        return registered((server) => chatCompletions(server, { ...chat, docsUrl: DOCS_URL }))
      }
      case 'dispute':
        return registered((server) => dispute(server, { jobs, history, clock, names }))
      case 'account':
        return registered((server) => account(server, { balances, names }))
      case 'jobs':
      case 'job': {
        const path = asked.route === 'jobs' ? '/v1/jobs' : '/v1/jobs/:id'
        return registered((server) => jobRoutes(server, { ...settings, history, names }), path)
      }
    }
  }
  let draining = false

  return {
    node,
    ask: (asked) => {
      if (draining) {
        asked.response.destroy()
        return
      }
      void answer(asked, auth, handlerOf(asked), (error) => {
        if (node.alive) broken(`${node.name}: a route threw ${textOf(error)}`)
      })
    },
    stop: async () => {
      draining = true
      sharedJobs.drain()
      await pause(clock, DRAIN_MS)
      await inTime(clock, CANCELLATIONS_MS, jobs.settled())
      sharedJobs.stop()
      waiting.stop()
      chainHealth.stop()
      auth.stop()
      pools.stop()
    },
  }
}

const NO_USES: KeyUses = { note: async () => {}, lastUse: async () => null }

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** The last handler that `register` hands to a server, or the one of the path. */
function registered(register: (server: FastifyInstance) => void, wanted?: string): Handler {
  let found: Handler | undefined
  const take = (path: string, _options: unknown, handler: Handler) => {
    if (wanted === undefined || path === wanted) found = handler
  }
  register({ post: take, get: take } as unknown as FastifyInstance)
  if (!found) throw new Error('a route registered no handler')
  return found
}

async function answer(
  asked: Asked,
  auth: Auth,
  handler: Handler,
  threw: (error: unknown) => void,
): Promise<void> {
  const { response, key, headers, params, query, body } = asked
  const reply = new Reply(response)
  const request = {
    raw: { httpVersion: '1.1', headers },
    headers,
    params,
    query,
    body,
    bodyDigest: hasJoinKey(headers) ? bodyDigest(JSON.stringify(body)) : '',
  }
  try {
    const caller = await auth.authenticate(`Bearer ${key}`)
    const result = await handler(
      { ...request, caller } as unknown as FastifyRequest,
      reply as unknown as FastifyReply,
    )
    if (result !== reply) reply.send(JSON.stringify(result))
  } catch (error) {
    if (!(error instanceof RefusalError)) {
      threw(error)
      return
    }
    const { refusal, options } = error
    if (reply.sent) threw(new Error(`refused with ${refusal.code} after its answer`))
    reply.headers(options.headers ?? {})
    reply.statusCode = ERRORS[refusal.code].status
    reply.send(JSON.stringify(errorBody(refusal, DOCS_URL)))
  }
}

/** What routes use of a reply of Fastify. */
class Reply {
  sent = false
  statusCode = 200
  readonly #headers: Record<string, unknown> = {}

  constructor(private readonly response: Response) {}

  get raw(): Response {
    return this.response
  }
  hijack(): void {
    this.sent = true
  }
  headers(headers: Readonly<Record<string, unknown>>): this {
    Object.assign(this.#headers, headers)
    return this
  }
  header(name: string, value: unknown): this {
    return this.headers({ [name]: value })
  }
  getHeaders = () => ({ ...this.#headers })

  send(body: string): this {
    this.sent = true
    if (this.response.destroyed) return this
    this.response.writeHead(this.statusCode, this.#headers)
    this.response.write(body)
    this.response.end()
    return this
  }
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

import { outputHash, publicHash } from '../../../src/domain/hash.ts'
import { type Address, type Hex32, type JobId, parseJobId } from '../../../src/domain/ids.ts'
import type { World } from '../world.ts'
import { type CallPlan, questionOf } from './call-plan.ts'
import type { EdgeNode } from './edge-node.ts'
import { Exchange, type ExchangeEnd, type Heard } from './exchange.ts'
import { readAnswer } from './read-answer.ts'
import type { WalletKeys } from './wallet-keys.ts'
import { COUNTED, type DisputeAnswer, type ToldChat, type Witness } from './witness.ts'

export interface CallerOptions {
  readonly name: string
  readonly wallet: Address
  readonly plan: CallPlan
  readonly witness: Witness
  readonly key: string
  /** Which of them may be used. */
  readonly keys: WalletKeys
  /** Those that take requests now. */
  edges(): readonly EdgeNode[]
  /** It has all that it wants, or has given up. */
  done(): void
}

/** An edge that is cut off notices that a moment later, and believes no key that it has read before. */
const HEARD_MS = 5_000
const NO_EDGE_MS = 500
const NO_EDGE_TRIES = 40

/** Somebody with one question, who asks until it is answered or the patience is gone. */
export class Caller {
  #tries = 0
  #noEdge = 0
  #underWay = 0
  #hasAnswer = false
  readonly #body: Readonly<Record<string, unknown>>

  constructor(
    private readonly world: World,
    private readonly options: CallerOptions,
  ) {
    const { plan, name } = options
    this.#body = {
      model: plan.model,
      messages: [{ role: 'user', content: questionOf(name) }],
      stream: plan.stream,
      ...(plan.stream ? { stream_options: { include_usage: true } } : {}),
      ...(plan.maxTokens === undefined ? {} : { max_tokens: plan.maxTokens }),
    }
  }

  start(): void {
    this.#ask()
    const { impatient, retries } = this.options.plan
    if (impatient && retries !== 'none') {
      this.world.after(this.world.random.between(0, 4_000), () => {
        if (!this.#hasAnswer && this.#underWay > 0) this.#ask()
      })
    }
  }

  #ask(): void {
    const { world, options } = this
    const { plan, witness } = options
    const edge = this.#edge()
    if (!edge) {
      if (++this.#noEdge > NO_EDGE_TRIES) this.#over()
      else world.after(NO_EDGE_MS, () => this.#ask())
      return
    }
    const headers = this.#headers(this.#tries++)
    this.#underWay++
    let jobId: JobId | undefined
    const name = `${options.name}.${this.#tries}`
    world.history.add(name, `asks ${edge.node.name}`)
    const askedAt = world.now()
    const exchange = new Exchange(world, edge, {
      ...{ route: 'chat', key: options.key, headers, params: {}, body: this.#body },
      taken: (id, how) => {
        jobId = id
        if (how === 'admitted') this.#lookAtKey(name, askedAt)
        witness.jobs.add(id)
        world.history.add(name, `${how} ${id}`)
      },
      ended: (end, heard) => {
        this.#underWay--
        this.#answered({ ...this.#told(name, edge, end, heard, jobId), askedAt })
      },
    })
    if (plan.hangsUpAfterMs !== undefined && this.#tries === 1) {
      world.after(plan.hangsUpAfterMs, () => exchange.hangUp())
    }
  }

  #told(
    name: string,
    edge: EdgeNode,
    end: ExchangeEnd,
    heard: Heard,
    jobId: JobId | undefined,
  ): Omit<ToldChat, 'askedAt'> {
    const { status } = heard
    const headers = { ...heard.headers, ...heard.trailers }
    const { wallet } = this.options
    const answer = readAnswer(heard, end === 'whole')
    const key = this.#key
    const at = this.world.now()
    this.#lookAtRefusal(name, status)
    const said = answer.error?.code ?? (answer.isComplete ? 'answered' : 'no answer')
    this.world.history.add(name, `${end} ${status ?? '-'} ${said} ${answer.text.length} units`)
    const { name: caller } = this.options
    return {
      name,
      caller,
      wallet,
      edge: edge.node.name,
      key,
      jobId,
      end,
      status,
      headers,
      answer,
      at,
    }
  }

  #answered(told: ToldChat): void {
    const { world, options } = this
    const { witness, plan } = options
    witness.chats.push(told)
    const { answer, status } = told
    if (status === 200 && answer.isComplete) {
      if (!this.#hasAnswer) this.#contest(told)
      this.#hasAnswer = true
      return
    }
    if (this.#hasAnswer || this.#underWay > 0) return
    const isWorth = told.end !== 'no_end' && (status === undefined || status >= 500)
    const mayRetry = plan.retries !== 'none' || told.end === 'whole'
    if (isWorth && mayRetry && this.#tries < plan.triesMax && !answer.error?.details?.job_id) {
      world.after(world.random.between(100, 3_000), () => this.#ask())
    } else this.#over()
  }

  #contest({ answer, headers }: ToldChat): void {
    const { plan } = this.options
    const jobId = parseJobId(String(headers['x-svc-job-id']))
    if (plan.dispute === 'no' || !jobId.ok) {
      this.#over()
      return
    }
    const right = outputHash(answer.text)
    const sent = plan.dispute === 'agrees' ? right : outputHash(`${answer.text} not`)
    this.world.after(plan.disputeAfterMs, () => {
      this.#dispute(jobId.value, sent, plan.dispute === 'twice' ? 2 : 1)
    })
  }

  #dispute(jobId: JobId, sent: Hex32, times: number): void {
    const { world, options } = this
    const { wallet, key, witness, name } = options
    const edge = this.#edge()
    if (!edge) {
      this.#over()
      return
    }
    const askedAt = world.now()
    new Exchange(world, edge, {
      ...{ route: 'dispute', key, headers: {}, params: { id: jobId } },
      body: { received_output_hash: publicHash(sent) },
      ended: (end, { status, text }) => {
        const body = end === 'whole' ? (JSON.parse(text) as DisputeAnswer) : undefined
        const said = body?.error?.code ?? (body?.dispute_opened ? 'opened' : 'agrees')
        world.history.add(name, `disputes ${jobId}: ${end} ${status ?? '-'} ${said}`)
        const endedAt = world.now()
        witness.disputes.push({ name, wallet, jobId, sent, askedAt, endedAt, end, status, body })
        if (times > 1) this.#dispute(jobId, sent, times - 1)
        else this.#over()
      },
    })
  }

  /** What is revoked is refused by whoever hears of that in time. */
  #lookAtKey(name: string, askedAt: number): void {
    const { key, keys } = this.options
    const since = keys.closedSince(key)
    if (since === undefined || askedAt < since + HEARD_MS) return
    this.world.fail(
      `${name}: a job was begun with a key that was closed ${askedAt - since} ms before`,
    )
  }

  #lookAtRefusal(name: string, status: number | undefined): void {
    const isOfKey = status === 401 || status === 403
    const { key, keys } = this.options
    if (isOfKey && !keys.wasClosed(key)) {
      this.world.fail(`${name}: told ${status} with a good key`)
    }
  }

  /** Who sends the next try before it knows of the one before may be heard of twice as of a first one. */
  get #key(): string | undefined {
    const { plan, name } = this.options
    if (plan.retries === 'counted' && !plan.impatient) return `${COUNTED}${name}`
    return plan.retries === 'named' ? name : undefined
  }

  #headers(retries: number): Record<string, string> {
    const { plan, name } = this.options
    if (plan.retries === 'named') return { 'idempotency-key': name }
    return plan.retries === 'counted' ? { 'x-stainless-retry-count': String(retries) } : {}
  }

  #edge(): EdgeNode | undefined {
    const edges = this.options.edges()
    return edges.length > 0 ? this.world.random.pick(edges) : undefined
  }

  #isOver = false
  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.options.done()
  }
}

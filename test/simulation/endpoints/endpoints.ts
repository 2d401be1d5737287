import { createHmac } from 'node:crypto'
import { ok } from '../../../src/domain/result.ts'
import type { UnixMs } from '../../../src/domain/time.ts'
import type {
  WebhookAnswer,
  WebhookPost,
  WebhookSender,
  WebhookTargets,
} from '../../../src/ports/webhook-sender.ts'
import type { Node, Random, World } from '../world.ts'

/** What an endpoint is like. When the world heals, all but the dead ones work. */
export type EndpointKind =
  | 'works'
  /** Answers 500 now and then. */
  | 'fails_often'
  /** Takes it, and says nothing. */
  | 'hangs'
  /** Takes it, and its answer is lost. */
  | 'mute'
  | 'slow'
  /** Nobody listens there, ever. */
  | 'dead'

const KINDS: readonly EndpointKind[] = ['works', 'works', 'fails_often', 'hangs', 'mute', 'slow']

/** One of many is dead for good: what is owed to it keeps a life waiting to its last attempt. */
export const kindOf = (random: Random): EndpointKind =>
  random.chance(0.1) ? 'dead' : random.pick(KINDS)

/** A post that an endpoint has seen whole. */
export interface Received {
  readonly at: UnixMs
  readonly eventId: string
  readonly body: string
  /** The sender was told so: it has no reason to send it again. */
  readonly acknowledged: boolean
}

export interface Endpoint {
  readonly url: string
  readonly kind: EndpointKind
  readonly secret: string
  /** Oldest first. */
  readonly received: Received[]
  /** How often anybody tried to reach it. */
  tried: number
}

const SENDER_WAITS_MS = 10_000
const FAILS = 0.5

/** The servers of strangers that webhooks lead to. */
export class Endpoints {
  readonly all = new Map<string, Endpoint>()

  constructor(private readonly world: World) {}

  add(kind: EndpointKind): Endpoint {
    const n = this.all.size + 1
    const secret = `secret-of-endpoint-${n}`
    const url = `https://endpoint-${n}.example/hook`
    const endpoint: Endpoint = { url, kind, secret, received: [], tried: 0 }
    this.all.set(url, endpoint)
    return endpoint
  }

  /** Every URL is fine: what may be reached is a matter of src/outbound, not of a life. */
  targets(): WebhookTargets {
    return { check: async () => ok(undefined) }
  }

  /** Of one process: what it has under way is gone with it. */
  sender(node: Node): WebhookSender {
    return {
      send: (post) => this.#send(node, post),
      close: async () => {},
    }
  }

  #send(node: Node, post: WebhookPost): Promise<WebhookAnswer> {
    const { world } = this
    return new Promise((resolve) => {
      const beganAt = node.clock.monotonic()
      const answer = (status: number | null, error: string | null) => {
        const delivered = status !== null && status >= 200 && status < 300
        const latencyMs = node.clock.monotonic() - beganAt
        resolve({ delivered, status, error, answerStart: '', latencyMs })
      }
      const giveUp = node.clock.after(SENDER_WAITS_MS, () => answer(null, 'no answer in time'))
      const reply = (ms: number, status: number | null, error: string | null) =>
        node.clock.after(ms, () => {
          giveUp()
          answer(status, error)
        })
      const sentAt = world.now()
      // A message under way does not die with its sender; over the sleep of a machine its connection does.
      world.after(world.faults.latency(), () => {
        if (world.now() - sentAt > SENDER_WAITS_MS) reply(0, null, 'the connection broke')
        else this.#arrive(node, post, reply)
      })
    })
  }

  #arrive(
    node: Node,
    post: WebhookPost,
    reply: (ms: number, status: number | null, error: string | null) => void,
  ): void {
    const { random, faults, history } = this.world
    const backMs = faults.latency()
    const endpoint = this.all.get(post.url)
    if (endpoint) endpoint.tried++
    if (!endpoint || endpoint.kind === 'dead' || random.chance(faults.lostRequest)) {
      reply(backMs, null, 'connection refused')
      return
    }
    this.#checkSignature(endpoint, post)
    const { kind } = endpoint
    const isWell = faults.healing || kind === 'works' || kind === 'slow'
    const take = (acknowledged: boolean) => {
      const eventId = post.headers['webhook-id'] ?? ''
      endpoint.received.push({ at: this.world.now(), eventId, body: post.body, acknowledged })
      const { event } = JSON.parse(post.body) as { event: string }
      history.add(endpoint.url, `${event} ${eventId}${acknowledged ? '' : ' (not acknowledged)'}`)
    }
    if (!isWell && kind === 'fails_often' && random.chance(FAILS)) {
      reply(backMs, 500, 'status 500')
    } else if (!isWell && (kind === 'hangs' || kind === 'mute') && random.chance(FAILS)) {
      take(false)
      if (kind === 'mute') reply(backMs, null, 'the connection broke')
    } else {
      const slowMs = kind === 'slow' && !faults.healing ? random.between(0, 9_000) : 0
      take(node.alive)
      reply(slowMs + backMs, 200, null)
    }
  }

  /** As a receiver does it, by the specification's words alone. */
  #checkSignature({ url, secret }: Endpoint, { headers, body }: WebhookPost): void {
    const { t, v1 } = Object.fromEntries(
      (headers['Svc-Signature'] ?? '').split(',').map((part) => part.split('=')),
    ) as Record<string, string>
    const right = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
    if (v1 !== right) this.world.fail(`${url}: a delivery with a wrong signature`)
    const offMs = Math.abs(Number(t) * 1_000 - this.world.now())
    if (offMs > CLOCK_SKEW_MS)
      this.world.fail(`${url}: a delivery signed ${offMs} ms away from now`)
  }
}

/** Receivers are advised to accept so much. */
const CLOCK_SKEW_MS = 300_000

import { status } from '@grpc/grpc-js'
import type {
  ConnectRequest,
  ConnectResponse,
  Models,
  Offer,
  Standing,
  Welcome,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import {
  type Completion,
  Completion_FinishReason,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../../../src/domain/bytes.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { toJobId } from '../../../src/domain/ids.ts'
import { dial } from '../../../src/worker/dial.ts'
import type { PoolCall } from '../../../src/worker/outgoing.ts'
import { ESCROW_SEPARATOR, identity, MODEL } from './stage.ts'

const BEAT_MS = 1_000

const behind = (signature: Buffer, v?: Buffer) => (v ? Buffer.concat([signature, v]) : signature)

export type Say = NonNullable<ConnectRequest['message']>

/** A worker written by hand that does what a test tells it, lies included. */
export class Rogue {
  readonly offers: Offer[] = []
  readonly cancels: { jobId: string; settle: boolean }[] = []
  welcomed = false
  welcome: Welcome | undefined
  /** The newest word on its models. */
  terms: Models | undefined
  ended: { code: string; details: string } | undefined
  /** Heard on the stream, a batch being one. */
  messages = 0
  onOffer: (offer: Offer) => void = () => {}
  onStanding: (standing: Standing) => void = () => {}
  onCancel: (jobId: string, settle: boolean) => void = () => {}
  private readonly separator: Uint8Array
  private batch: ConnectRequest[] | undefined
  private readonly call: PoolCall
  private readonly closeConnection: () => void
  private readonly stopBeating: () => void

  constructor(
    url: string,
    readonly key: number,
    hello: {
      slots?: number
      models?: string[]
      protocol?: number
      signedBy?: number
      contextWindow?: number
      agent?: string
      region?: string
      token?: Buffer
      resumes?: boolean
      batches?: boolean
      /** Behind its signatures of the hello: the byte that signers of 65 give. */
      v?: { challenge?: Buffer; registration?: Buffer }
      /** EIP-712 domain of the escrow that it signs for. */
      separator?: Uint8Array
      /** Whether it says that it lives: unless told not to, so that no test is a race with the pool. */
      beats?: boolean
    } = {},
  ) {
    this.separator = hello.separator ?? ESCROW_SEPARATOR
    const { call, close } = dial({ target: url, tls: false })
    this.call = call
    this.closeConnection = close
    const beat = () => this.say({ $case: 'heartbeat', value: { sentAt: Date.now() } })
    let beating: NodeJS.Timeout | undefined
    this.stopBeating = () => clearInterval(beating)
    call.on('error', () => {})
    call.on('status', ({ code, details }) => {
      this.ended = { code: status[code], details }
      this.stopBeating()
      close()
    })
    call.on('data', ({ message }) => {
      this.messages++
      if (message?.$case !== 'batch') return hear(message)
      for (const each of message.value.messages) hear(each.message)
    })
    const hear = (message: ConnectResponse['message']) => {
      if (message?.$case === 'challenge') {
        const answer = identity(hello.signedBy ?? key).answer(message.value)
        const address = toBytes(identity(key).address)
        this.say({
          $case: 'hello',
          value: {
            protocol: hello.protocol ?? 1,
            worker: address,
            payee: address,
            challengeSignature: behind(answer.challengeSignature, hello.v?.challenge),
            registrationSignature: behind(answer.registrationSignature, hello.v?.registration),
            models: (hello.models ?? [MODEL]).map((id) => ({
              id,
              contextWindow: hello.contextWindow ?? 0,
            })),
            slots: hello.slots ?? 1,
            engine: 'rogue',
            region: hello.region ?? 'test',
            agent: hello.agent ?? 'test',
            sessionToken: hello.token ?? Buffer.alloc(0),
            resumes: hello.resumes ?? false,
            priceFloorBps: 0,
            batches: hello.batches ?? false,
          },
        })
      }
      if (message?.$case === 'welcome') {
        this.welcomed = true
        if (hello.beats ?? true) beating = setInterval(beat, BEAT_MS)
        this.welcome = message.value
      }
      if (message?.$case === 'models') this.terms = message.value
      if (message?.$case === 'standing') this.onStanding(message.value)
      if (message?.$case === 'offer') {
        this.offers.push(message.value)
        this.onOffer(message.value)
      }
      if (message?.$case === 'cancel') {
        this.cancels.push(message.value)
        this.onCancel(message.value.jobId, message.value.settle)
      }
    }
  }

  get address() {
    return identity(this.key).address
  }

  say(message: Say): void {
    if (this.batch) this.batch.push({ message })
    else this.call.write({ message })
  }
  /** All that `speak` says goes as one batch. */
  together(speak: () => void): void {
    const messages: ConnectRequest[] = []
    this.batch = messages
    speak()
    this.batch = undefined
    this.say({ $case: 'batch', value: { messages } })
  }
  accept = (jobId: string) => this.say({ $case: 'accept', value: { jobId } })
  chunk = (jobId: string, seq: number, text: string) =>
    this.say({ $case: 'chunks', value: { chunks: [{ jobId, seq, text }] } })

  /** A completion that is right, but for what `lies` says. */
  complete(jobId: string, text: string, chunks: number, lies: Lies = {}): void {
    const completion = {
      jobId: toJobId(jobId),
      outputHash: outputHash(lies.hashOf ?? text),
      outputTokens: lies.outputTokens ?? 3,
      completedAt: lies.completedAt ?? nowSeconds() + (lies.clockAheadSeconds ?? 0),
    }
    const value: Completion = {
      ...completion,
      outputHash: toBytes(completion.outputHash),
      promptTokens: lies.promptTokens ?? 1,
      signature: identity(lies.signedBy ?? this.key).prove(completion, this.separator),
      finishReason: lies.finishReason ?? Completion_FinishReason.FINISH_REASON_STOP,
      chunks: lies.chunks ?? chunks,
    }
    this.say({ $case: 'completion', value })
  }

  /** Goes without a word. */
  vanish(): void {
    this.stopBeating()
    this.call.cancel()
    this.closeConnection()
  }
}

const nowSeconds = () => Math.floor(Date.now() / 1000)

export interface Lies {
  readonly hashOf?: string
  readonly outputTokens?: number
  readonly clockAheadSeconds?: number
  readonly completedAt?: number
  readonly promptTokens?: number
  readonly signedBy?: number
  readonly chunks?: number
  readonly finishReason?: Completion_FinishReason
}

import { join } from 'node:path'
import { type ClientDuplexStream, credentials, loadPackageDefinition, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { toBytes } from '../../../src/domain/bytes.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { toJobId } from '../../../src/domain/ids.ts'
import type { Identity } from '../../../src/worker/identity.ts'
import { pause } from '../../until.ts'
import { ESCROW_SEPARATOR, MODEL } from '../pool/stage.ts'

type Message = Record<string, unknown> & { readonly message?: string }
type Stream = ClientDuplexStream<Message, Message>

/** As worker.proto beside this file numbers them. */
const BUSY = 1
const DRAINING = 2
const CANCELLED = 4
const STOP = 1
const LENGTH = 2

const WorkerService = loadService()

/**
 * A worker as of the first release, on the wire of that release: worker.proto beside this file is the
 * one of then and is never changed. It knows nothing of what came later.
 */
export class FirstWorker {
  /** Names of what the pool said, in order; '' is what this version cannot read. */
  readonly heard: string[] = []
  readonly offers: { readonly jobId: string; readonly maxOutputTokens: number }[] = []
  welcomes = 0
  ended: { readonly code: string; readonly details: string } | undefined
  draining = false
  /** Time between two pieces of an answer. */
  pieceMs = 1
  private readonly jobs = new Map<string, { stopped: 'settle' | 'drop' | undefined }>()
  private stream: Stream | undefined
  private beating: NodeJS.Timeout | undefined

  constructor(
    private readonly url: string,
    private readonly identity: Identity,
    private readonly pieces: readonly string[] = ['one', ', two', ', three'],
  ) {}

  get busy(): number {
    return this.jobs.size
  }

  dial(): this {
    const client = new WorkerService(this.url, credentials.createInsecure())
    const stream: Stream = client.connect()
    this.ended = undefined
    this.draining = false
    this.stream = stream
    stream.on('error', () => {})
    stream.on('end', () => stream.end())
    stream.on('status', ({ code, details }) => {
      clearInterval(this.beating)
      this.ended = { code: status[code] ?? '', details }
      client.close()
    })
    stream.on('data', (response: Message) => this.receive(response))
    return this
  }

  /** Goes without a word. */
  vanish(): void {
    for (const job of this.jobs.values()) job.stopped = 'drop'
    this.stream?.cancel()
  }

  drain(): void {
    this.draining = true
    this.say({ drain: { reason: 'the operator wants it' } })
    if (this.jobs.size === 0) this.stream?.end()
  }

  private receive(response: Message): void {
    const kind = response.message ?? ''
    this.heard.push(kind)
    const value = response[kind] as never
    if (kind === 'challenge') this.introduce(value)
    if (kind === 'welcome') this.begin(value)
    if (kind === 'offer') void this.consider(value)
    if (kind === 'cancel') this.cancel(value)
  }

  private introduce(challenge: Parameters<Identity['answer']>[0]): void {
    const address = toBytes(this.identity.address)
    const { challengeSignature, registrationSignature } = this.identity.answer(challenge)
    this.say({
      hello: {
        protocol: 1,
        worker: address,
        payee: address,
        ...{ challengeSignature, registrationSignature },
        models: [{ id: MODEL, contextWindow: 0 }],
        slots: 1,
        engine: 'first',
        region: 'test',
        agent: 'prepaid-inference-agent/1.0',
      },
    })
  }

  private begin({ heartbeatIntervalMs }: { readonly heartbeatIntervalMs: number }): void {
    this.welcomes++
    clearInterval(this.beating)
    const beat = () => this.say({ heartbeat: { sentAt: Date.now() } })
    this.beating = setInterval(beat, heartbeatIntervalMs)
  }

  private async consider(offer: { jobId: string; maxOutputTokens: number }): Promise<void> {
    const { jobId } = offer
    if (this.draining) return this.say({ refusal: { jobId, reason: DRAINING } })
    if (this.jobs.size > 0) return this.say({ refusal: { jobId, reason: BUSY } })
    this.offers.push(offer)
    const job: { stopped: 'settle' | 'drop' | undefined } = { stopped: undefined }
    this.jobs.set(jobId, job)
    this.say({ accept: { jobId } })
    let text = ''
    let seq = 0
    for (const piece of this.pieces) {
      if (job.stopped) break
      this.say({ chunks: { chunks: [{ jobId, seq: seq++, text: piece }] } })
      text += piece
      await pause(this.pieceMs)
    }
    this.jobs.delete(jobId)
    if (job.stopped === 'drop') {
      this.say({ failure: { jobId, reason: CANCELLED, message: 'cancelled' } })
    } else this.complete(jobId, text, seq, job.stopped ? LENGTH : STOP)
    if (this.draining) this.stream?.end()
  }

  private complete(jobId: string, text: string, chunks: number, finishReason: number): void {
    const proof = {
      jobId: toJobId(jobId),
      outputHash: outputHash(text),
      outputTokens: chunks,
      completedAt: Math.floor(Date.now() / 1_000),
    }
    this.say({
      completion: {
        ...proof,
        outputHash: toBytes(proof.outputHash),
        promptTokens: 7,
        signature: this.identity.prove(proof, ESCROW_SEPARATOR),
        ...{ finishReason, chunks },
      },
    })
  }

  private cancel({ jobId, settle }: { readonly jobId: string; readonly settle: boolean }): void {
    const job = this.jobs.get(jobId)
    if (job) job.stopped = settle ? 'settle' : 'drop'
  }

  private say(message: Record<string, unknown>): void {
    if (this.stream?.writable) this.stream.write(message as Message)
  }
}

interface Client {
  connect(): Stream
  close(): void
}

function loadService(): new (url: string, as: unknown) => Client {
  const definition = loadSync(join(import.meta.dirname, 'worker.proto'), {
    ...{ longs: Number, enums: Number, defaults: true, oneofs: true },
  })
  // What a package holds is known only when it is loaded.
  const loaded: unknown = loadPackageDefinition(definition)
  const { svc } = loaded as {
    svc: { worker: { v1: { WorkerService: new (url: string, as: unknown) => Client } } }
  }
  return svc.worker.v1.WorkerService
}

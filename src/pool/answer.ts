import type { Chunk } from '../../proto/gen/svc/worker/v1/worker.ts'
import { err, ok, type Result } from '../domain/result.ts'

/** The text of one attempt as the worker sends it, kept to be hashed at the end. */
export class Answer {
  /** Chunks of the worker, empty ones included. */
  chunks = 0
  private readonly pieces: string[] = []
  private units = 0

  /** @param outputTokensMax bounds the text that is believable */
  constructor(private readonly outputTokensMax: number) {}

  get isEmpty(): boolean {
    return this.pieces.length === 0
  }

  text(): string {
    return this.pieces.join('')
  }

  /** @returns the new text, or what is wrong with the chunk */
  add(chunk: Chunk): Result<string, string> {
    if (chunk.seq !== this.chunks) {
      return err(`chunk ${chunk.seq} came where ${this.chunks} was due`)
    }
    this.chunks++
    this.units += chunk.text.length
    if (this.units > unitsMax(this.outputTokensMax)) {
      return err('the answer is longer than its tokens can be')
    }
    if (chunk.text !== '') this.pieces.push(chunk.text)
    return ok(chunk.text)
  }
}

/** The longest believable text, in UTF-16 units: long tokens exist, but never that many. */
const unitsMax = (tokens: number): number => 65_536 + tokens * 256

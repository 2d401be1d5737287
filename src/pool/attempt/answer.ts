import type { Chunk } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { mostChunksOf, mostUnitsOf } from '../../domain/plausible-tokens.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { Flaw } from '../../messages/strikes.ts'
import { flaw } from '../proof/flaw.ts'

/** The text of one attempt as the worker sends it, kept to be hashed at the end. */
export class Answer {
  /** Chunks of the worker, empty ones included. */
  chunks = 0
  /** By number. */
  private readonly pieces: string[] = []
  private units = 0

  /** @param outputTokensMax bounds the text that is believable, and the pieces that it comes in */
  constructor(private readonly outputTokensMax: number) {}

  get isEmpty(): boolean {
    return this.units === 0
  }

  text(): string {
    return this.pieces.join('')
  }

  /** @returns the new text, or what is wrong with the chunk */
  add(chunk: Chunk): Result<string, Flaw> {
    if (chunk.seq !== this.chunks) {
      return err(flaw('wrong_chunks', `chunk ${chunk.seq} came where ${this.chunks} was due`))
    }
    this.chunks++
    this.units += chunk.text.length
    if (this.units > mostUnitsOf(this.outputTokensMax)) {
      return err(flaw('answer_too_long', 'the answer is longer than its tokens can be'))
    }
    // Even an empty piece is kept, so that each is found by its number when it comes again.
    if (this.chunks > mostChunksOf(this.outputTokensMax)) {
      return err(flaw('answer_too_long', 'the answer comes in more pieces than it can have tokens'))
    }
    this.pieces.push(chunk.text)
    return ok(chunk.text)
  }

  /** Whether this chunk is here already, word for word. */
  has({ seq, text }: Chunk): boolean {
    return this.pieces[seq] === text
  }
}

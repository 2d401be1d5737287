import { drawFrom } from '../../../src/worker/engines/sample-text.ts'
import { type GgufTensor, writeGguf } from './gguf.ts'

/** Pieces that a walk of the model may name beside `<0x00>` to `<0xFF>`. */
const BOS = '<s>'
export const EOS = '</s>'
/** Ends the prompt, so it is where each answer begins. */
export const ASSISTANT = '<|assistant|>'
const END = '<|end|>'

export interface TinyModel {
  /**
   * What the model says: each walk is a row of pieces, each of which leads to the next, and where a
   * piece leads to several they are about equally likely. `▁` stands for a space.
   */
  readonly walks: readonly (readonly string[])[]
  /** In tokens. */
  readonly contextWindow?: number
  /** Without it the file has no chat template. */
  readonly chatTemplate?: string | null
}

const CHAT_TEMPLATE =
  `{{ bos_token }}{% for message in messages %}` +
  `{% if message.role == 'system' and not loop.first %}` +
  `{{ raise_exception('The system message must come first') }}{% endif %}` +
  `<|{{ message.role }}|>{{ message.content }}${END}{% endfor %}` +
  `{% if add_generation_prompt %}${ASSISTANT}{% endif %}`

const WIDTH = 64
const HIDDEN = 32
const HEADS = 2
/** How sure the model is of its next piece, in logits. */
const SURENESS = 16
/** Small, so that what came before is heard without drowning the walk. */
const NOISE = 0.02

const NORMAL = 1
const UNKNOWN = 2
const CONTROL = 3
const BYTE = 6

interface Entry {
  readonly piece: string
  readonly type: number
  readonly score: number
}

/**
 * Writes a model of the llama architecture, small enough to be built by a test: one layer, weights
 * by chance from a fixed seed. Its output layer is made so that each piece leads to those that
 * follow it in a walk.
 */
export function writeTinyModel(path: string, model: TinyModel): void {
  const vocabulary = makeVocabulary(model.walks)
  const template = model.chatTemplate === undefined ? CHAT_TEMPLATE : model.chatTemplate
  writeGguf(
    path,
    {
      'general.architecture': { text: 'llama' },
      'general.name': { text: 'tiny' },
      'llama.context_length': { u32: model.contextWindow ?? 512 },
      'llama.embedding_length': { u32: WIDTH },
      'llama.block_count': { u32: 1 },
      'llama.feed_forward_length': { u32: HIDDEN },
      'llama.attention.head_count': { u32: HEADS },
      'llama.attention.head_count_kv': { u32: HEADS },
      'llama.attention.layer_norm_rms_epsilon': { f32: 1e-5 },
      'llama.rope.dimension_count': { u32: WIDTH / HEADS },
      'llama.vocab_size': { u32: vocabulary.length },
      'tokenizer.ggml.model': { text: 'llama' },
      'tokenizer.ggml.tokens': { texts: vocabulary.map(({ piece }) => piece) },
      'tokenizer.ggml.scores': { f32s: vocabulary.map(({ score }) => score) },
      'tokenizer.ggml.token_type': { i32s: vocabulary.map(({ type }) => type) },
      'tokenizer.ggml.unknown_token_id': { u32: 0 },
      'tokenizer.ggml.bos_token_id': { u32: 1 },
      'tokenizer.ggml.eos_token_id': { u32: 2 },
      'tokenizer.ggml.add_bos_token': { bool: true },
      'tokenizer.ggml.add_space_prefix': { bool: false },
      ...(template === null ? {} : { 'tokenizer.chat_template': { text: template } }),
    },
    makeTensors(vocabulary, model.walks),
  )
}

/**
 * Control tokens, all bytes, the letters and the space, `hello` with the pieces that the tokenizer
 * joins it from, and the pieces of the walks.
 */
function makeVocabulary(walks: TinyModel['walks']): Entry[] {
  const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0')
  const control = [BOS, EOS, '<|system|>', '<|user|>', ASSISTANT, END]
  const joined = ['he', 'll', 'hell', 'hello']
  const entries: Entry[] = [
    { piece: '<unk>', type: UNKNOWN, score: 0 },
    ...control.map((piece) => ({ piece, type: CONTROL, score: 0 })),
    ...Array.from({ length: 256 }, (_, byte) => ({
      piece: `<0x${hex(byte)}>`,
      type: BYTE,
      score: 0,
    })),
    ...[...'▁abcdefghijklmnopqrstuvwxyz'].map((piece) => ({ piece, type: NORMAL, score: -100 })),
    ...joined.map((piece) => ({ piece, type: NORMAL, score: piece.length })),
  ]
  const known = new Set(entries.map(({ piece }) => piece))
  const fresh = new Set(walks.flat().filter((piece) => !known.has(piece)))
  return [...entries, ...[...fresh].map((piece) => ({ piece, type: NORMAL, score: -50 }))]
}

function makeTensors(vocabulary: readonly Entry[], walks: TinyModel['walks']): GgufTensor[] {
  const draw = drawFrom('tiny model')
  const noise = (name: string, dims: readonly number[]): GgufTensor => {
    const size = dims.reduce((all, dim) => all * dim, 1)
    return { name, dims, values: Float32Array.from({ length: size }, () => gauss(draw) * NOISE) }
  }
  const ones = (name: string): GgufTensor => ({
    name,
    dims: [WIDTH],
    values: new Float32Array(WIDTH).fill(1),
  })
  const pieces = vocabulary.length
  const embedding = Float32Array.from({ length: pieces * WIDTH }, () => gauss(draw))
  const output = leadOn(embedding, vocabulary, walks)
  return [
    { name: 'token_embd.weight', dims: [WIDTH, pieces], values: embedding },
    ones('blk.0.attn_norm.weight'),
    noise('blk.0.attn_q.weight', [WIDTH, WIDTH]),
    noise('blk.0.attn_k.weight', [WIDTH, WIDTH]),
    noise('blk.0.attn_v.weight', [WIDTH, WIDTH]),
    noise('blk.0.attn_output.weight', [WIDTH, WIDTH]),
    ones('blk.0.ffn_norm.weight'),
    noise('blk.0.ffn_gate.weight', [WIDTH, HIDDEN]),
    noise('blk.0.ffn_up.weight', [WIDTH, HIDDEN]),
    noise('blk.0.ffn_down.weight', [HIDDEN, WIDTH]),
    ones('output_norm.weight'),
    { name: 'output.weight', dims: [WIDTH, pieces], values: output },
  ]
}

/** The row of a piece is the sum of the embeddings of the pieces that lead to it. */
function leadOn(
  embedding: Float32Array,
  vocabulary: readonly Entry[],
  walks: TinyModel['walks'],
): Float32Array {
  const ids = new Map(vocabulary.map(({ piece }, id) => [piece, id]))
  const steps = new Set(
    walks.flatMap((walk) => walk.slice(1).map((to, i) => `${ids.get(walk[i]!)!} ${ids.get(to)!}`)),
  )
  const output = new Float32Array(embedding.length)
  for (const step of steps) {
    const [from, to] = step.split(' ').map(Number) as [number, number]
    const row = embedding.subarray(from * WIDTH, (from + 1) * WIDTH)
    // Divided by its own length, so that no piece is surer of its next one than another.
    const scale = SURENESS / Math.sqrt(WIDTH) / Math.hypot(...row)
    for (let i = 0; i < WIDTH; i++) output[to * WIDTH + i]! += row[i]! * scale
  }
  return output
}

/** About normal, by the sum of twelve draws. */
function gauss(draw: (below: number) => number): number {
  let sum = 0
  for (let i = 0; i < 12; i++) sum += draw(1_000_000) / 1_000_000
  return sum - 6
}

import { createHash } from 'node:crypto'

/** What the sample engine always says first, so that nobody takes it for a model. */
const NOTICE = 'This is the sample engine. It imitates no model, and the words below mean nothing.'

const WORDS = [
  'amber',
  'basin',
  'cedar',
  'dune',
  'ember',
  'field',
  'grove',
  'harbor',
  'inlet',
  'juniper',
  'kettle',
  'lantern',
  'meadow',
  'north',
  'orchard',
  'pebble',
  'quarry',
  'river',
  'stone',
  'timber',
  'upland',
  'valley',
  'willow',
  'yarrow',
  'bridge',
  'cloud',
  'drift',
  'echo',
  'frost',
  'glade',
  'hollow',
  'island',
  'ledge',
  'marsh',
  'needle',
  'ocean',
  'path',
  'reed',
  'shore',
  'trail',
] as const

/** Chance that repeats: a number from 0 up to, and without, `below`. */
export type Draw = (below: number) => number

/** @param seed any text; the same seed draws the same numbers */
export function drawFrom(seed: string): Draw {
  // Mulberry32: small, fast, and good enough for picking words.
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0)
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Endless sample text, a token at a time: a word with its space or a mark. */
export function* sampleTokens(draw: Draw): Generator<string, never, void> {
  yield* NOTICE.match(/ ?\w+|[.,]/g) ?? []
  for (;;) {
    const words = 5 + draw(8)
    for (let i = 0; i < words; i++) {
      const word = WORDS[draw(WORDS.length)] ?? WORDS[0]
      yield i === 0 ? ` ${word[0]?.toUpperCase()}${word.slice(1)}` : ` ${word}`
    }
    yield '.'
  }
}

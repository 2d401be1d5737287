import type { Random } from './world.ts'

/** The small fast counter generator (sfc32), begun from one number: the same seed, the same life. */
export function makeRandom(seed: number): Random {
  let [a, b, c, count] = [
    0x9e3779b9 ^ seed,
    0x243f6a88,
    0xb7e15162 ^ Math.imul(seed, 0x85ebca6b),
    1,
  ]
  const word = (): number => {
    const sum = (((a + b) | 0) + count) | 0
    count = (count + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return sum >>> 0
  }
  // The first words still show the seed.
  for (let i = 0; i < 12; i++) word()

  const next = () => word() / 0x1_0000_0000
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    few: (low, high) => between(low, between(low, high)),
    // Without a draw where there is no doubt: a fault that is off costs nothing.
    chance: (p) => p > 0 && (p >= 1 || next() < p),
    pick: (choices) => choices[between(0, choices.length - 1)]!,
    bytes: (count) => Uint8Array.from({ length: count }, () => word() & 0xff),
  }
}

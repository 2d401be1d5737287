import type { Hex } from 'viem'
import type { Artifact } from '../../contracts/build.ts'

/**
 * `equal`: byte for byte, but for immutables. `metadata`: the same instructions, built from sources
 * with other comments, names or paths.
 */
export type CodeVerdict = 'equal' | 'metadata' | 'different' | 'missing'

/** Compares code on chain with what the build made. Immutables are compared apart. */
export function compareCode(deployed: Hex, built: Artifact): CodeVerdict {
  if (deployed === '0x') return 'missing'
  const here = blankImmutables(deployed, built)
  const there = blankImmutables(built.runtime, built)
  if (here === there) return 'equal'
  return blankMetadata(here) === blankMetadata(there) ? 'metadata' : 'different'
}

function blankImmutables(code: Hex, { immutables }: Artifact): string {
  let text = code.slice(2).toLowerCase()
  for (const { start, length } of immutables.flat()) {
    text = text.slice(0, start * 2) + '0'.repeat(length * 2) + text.slice(start * 2 + length * 2)
  }
  return text
}

// CBOR { "ipfs": hash of the metadata, "solc": version } and its length. Also in the middle, where a
// contract carries the code of one that it makes.
const METADATA = /a264697066735822[0-9a-f]{68}64736f6c6343[0-9a-f]{6}0033/g
const blankMetadata = (code: string): string => code.replace(METADATA, '')

/**
 * The values of all immutables, in the order of the build. Places of one immutable that differ are
 * told as several, so that none hides behind another.
 */
export function immutableWords(deployed: Hex, { immutables }: Artifact): readonly Hex[] {
  const code = deployed.slice(2).toLowerCase()
  return immutables.flatMap((places) => {
    const words = places.map(({ start, length }): Hex => {
      return `0x${code.slice(start * 2, (start + length) * 2).padStart(64, '0')}`
    })
    return [...new Set(words)]
  })
}

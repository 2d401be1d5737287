/** A value and how often it counts. */
export interface Weighted {
  readonly value: number
  readonly weight: number
}

/** Weights are fractions where a sample stands for many; their sum is then a little off. */
const SLACK = 1e-9

/** The value in the middle; the mean of the two where it falls between them. */
export function weightedMedian(items: readonly Weighted[]): number | undefined {
  const sorted = [...items].sort((a, b) => a.value - b.value)
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2
  let passed = 0
  for (const [i, { value, weight }] of sorted.entries()) {
    passed += weight
    if (passed > half + SLACK) return value
    if (passed >= half - SLACK) return (value + (sorted[i + 1]?.value ?? value)) / 2
  }
  return undefined
}

export const median = (values: readonly number[]): number | undefined =>
  weightedMedian(values.map((value) => ({ value, weight: 1 })))

/** At most `most` of the values, spread evenly over their ranks. */
export function evenSample(sorted: readonly number[], most: number): readonly number[] {
  if (sorted.length <= most) return sorted
  return Array.from({ length: most }, (_, i) => {
    return sorted[Math.floor(((i + 0.5) * sorted.length) / most)]!
  })
}

import { type PoolCensus, REGIONS_MOST } from '../../messages/pool.ts'

interface Met {
  readonly profile: { readonly region: string }
}

/** Those who say where they are, and those who do not. */
export function censusOf(sessions: readonly Met[], jobsLastMinute: number): PoolCensus {
  const counts = new Map<string, number>()
  for (const { profile } of sessions) {
    if (profile.region === '') continue
    counts.set(profile.region, (counts.get(profile.region) ?? 0) + 1)
  }
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, REGIONS_MOST)
  return { workers: sessions.length, regions: Object.fromEntries(most), jobsLastMinute }
}

import type { JobId } from '../domain/ids.ts'
import { PARTITIONS } from './partition-count.ts'

/** FNV-1a over the id, folded to a partition. */
export function partitionOf(jobId: JobId): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < jobId.length; i++) {
    hash = Math.imul(hash ^ jobId.charCodeAt(i), 0x01000193)
  }
  return (hash >>> 0) % PARTITIONS
}

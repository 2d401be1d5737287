import type { JobId } from '../domain/ids.ts'

/** Fixed for the life of a deployment: a job's partition is part of its address. */
export const PARTITIONS = 64

/** FNV-1a over the id, folded to a partition. */
export function partitionOf(jobId: JobId): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < jobId.length; i++) {
    hash = Math.imul(hash ^ jobId.charCodeAt(i), 0x01000193)
  }
  return (hash >>> 0) % PARTITIONS
}

/** Where things are said. Tokens hold no dot, so ids go in as they are. */
export const SUBJECTS = {
  /** Commands to one job; its partition's owner answers. Request. */
  jobCommand: (jobId: JobId) => `cmd.${partitionOf(jobId)}.${jobId}`,
  jobCommands: (partition: number) => `cmd.${partition}.*`,
  /** The journal of one job (stream JOB). */
  jobJournal: (jobId: JobId) => `job.${partitionOf(jobId)}.${jobId}`,
  jobJournals: 'job.>',
  /** What is told to the requests that wait in one edge. Publish, an array a message. */
  edgeInbox: (edgeId: string) => `edge.${edgeId}`,
  /** Asks the edge behind an inbox for the prompt of a job that waits there. Request. */
  edgePrompt: (inbox: string) => `${inbox}.prompt`,
  /** Inboxes of the edges that live, each twice a second. Publish. */
  edges: 'edges.alive',
  /** Offers and cancellations to one pool process. Request. */
  pool: (poolId: string) => `pool.${poolId}`,
  /** Load summaries of all pools. Publish. */
  poolSummary: 'pools.summary',
  /** Asks every pool for a summary now, so that a newcomer need not wait for the next one. */
  poolsAsk: 'pools.ask',
  /** Intents for the lane that signs with one key. Publish; repeated until the fact arrives. */
  lane: (lane: Lane) => `lane.${lane}`,
  /** A worker's wish to be registered on chain. Request. */
  workerRegister: 'worker.register',
  /** Loads one wallet's ledger from the chain. Request, queue group. */
  accountLoad: 'account.load',
  /** A partition nobody answers for: its owner is tested at once. Publish. */
  orphan: 'parts.orphan',
  /** Heartbeats of the actor hosts. Publish. */
  hosts: 'hosts.alive',
  /** Answers while the host lives. Request. */
  host: (hostId: string) => `host.${hostId}`,
} as const

export const LANES = ['lock', 'settle'] as const
/** One signing key, one order of nonces. `settle` carries settlements, refunds, registrations. */
export type Lane = (typeof LANES)[number]

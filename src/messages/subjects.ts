import type { Address, JobId } from '../domain/ids.ts'
import { partitionOf } from './partitions.ts'

/** Where things are said. Tokens hold no dot, so ids go in as they are. */
export const SUBJECTS = {
  /**
   * Commands to one job; its partition's owner answers. Request. Who speaks is part of the subject,
   * so that the server lets nobody speak for another (`mayCommand` says who may say what).
   */
  jobCommand: (jobId: JobId, sender: Sender = 'house') =>
    `cmd.${partitionOf(jobId)}.${sender}.${jobId}`,
  jobCommands: (partition: number) => `cmd.${partition}.*.*`,
  /** The journal of one job (stream JOB). */
  jobJournal: (jobId: JobId) => `job.${partitionOf(jobId)}.${jobId}`,
  /** Finished jobs (stream DONE), many a message. */
  doneJobs: 'done.jobs',
  /** What happened to one wallet (stream FACT). */
  fact: (wallet: Address, type: string) => `fact.${wallet}.${type.replace('.', '_')}`,
  /** What happened to one worker, and everybody may know (stream FACT). */
  workerFact: (worker: Address, type: string) => `fact.worker.${worker}.${type.replace('.', '_')}`,
  /** All of one wallet. */
  factsOf: (wallet: Address) => `fact.${wallet}.*`,
  workerFacts: 'fact.worker.>',
  facts: 'fact.>',
  /** What is told to the requests that wait in one edge. Publish, an array a message. */
  edgeInbox: (edgeId: string) => `edge.${edgeId}`,
  /** Asks the edge behind an inbox for the prompt of a job that waits there. Request. */
  edgePrompt: (inbox: string) => `${inbox}.prompt`,
  /** Inboxes of the edges that live, each twice a second. Publish. */
  edges: 'edges.alive',
  /** Jobs that were joined and have lost their callers in one edge. Publish. */
  edgesLeft: 'edges.left',
  /** Offers and cancellations to one pool process. Request. */
  pool: (poolId: string) => `pool.${poolId}`,
  /** How one pool process sees a worker (`AskStanding`). Request. */
  poolStanding: (poolId: string) => `pool.${poolId}.standing`,
  /** Load summaries of all pools. Publish. */
  poolSummary: 'pools.summary',
  /** Asks every pool for a summary now, so that a newcomer need not wait for the next one. */
  poolsAsk: 'pools.ask',
  /** Intents for the lane that signs with one key. Publish; repeated until the fact arrives. */
  lane: (lane: Lane) => `lane.${lane}`,
  /** How each lane fares, twice a second. Publish. */
  laneHealth: 'lanes.health',
  /** A worker's wish to be registered on chain. Request. */
  workerRegister: 'worker.register',
  /** Loads one wallet's ledger from the chain. Request, queue group. */
  accountLoad: 'account.load',
  /** Asks for a voucher that takes credits out at once. Request, queue group. */
  accountWithdraw: 'account.withdraw',
  /** Where may a wallet send tokens? The keeper answers. Request. */
  depositAddress: 'account.deposit_address',
  /** Webhooks of a wallet, their history and replay (`WebhookRequest`). Request, queue group. */
  webhooks: 'webhook.ask',
  /** Deliveries owed to one webhook now (stream HOOK). */
  hook: (webhookId: string) => `hook.${webhookId}`,
  /** The same, once they have waited so long. */
  hookWaiting: (seconds: number | '*', webhookId: string) => `hook.waiting.${seconds}.${webhookId}`,
  /** First attempts of the deliveries of one webhook (stream ATTEMPT). */
  firstAttempts: (wallet: Address, webhookId: string) => `attempt.${wallet}.${webhookId}.first`,
  /** The attempts after the one that is kept at `first`. */
  laterAttempts: (wallet: Address, webhookId: string, first: number) =>
    `attempt.${wallet}.${webhookId}.later.${first}`,
  /** Where the last attempts of deliveries are that failed for good. */
  failedDeliveries: (wallet: Address, webhookId: string) => `attempt.${wallet}.${webhookId}.failed`,
  /** That a replay has delivered this event. */
  redelivered: (wallet: Address, webhookId: string, eventId: string) =>
    `attempt.${wallet}.${webhookId}.redelivered.${eventId}`,
  /** A partition nobody answers for: its owner is tested at once. Publish. */
  orphan: 'parts.orphan',
  /** Partitions that a host has let go (`PartitionsLeft`). Publish. */
  partitionsLeft: 'parts.left',
  /** Heartbeats of the actor hosts. Publish. */
  hosts: 'hosts.alive',
  /** Answers while the host lives. Request. */
  host: (hostId: string) => `host.${hostId}`,
} as const

/** Who speaks to jobs; `house`: the actors among themselves. */
export const SENDERS = ['house', 'edge', 'web', 'pool'] as const
export type Sender = (typeof SENDERS)[number]

export const LANES = ['lock', 'settle'] as const
/** One signing key, one order of nonces. `settle` carries settlements, refunds, disputes, registrations. */
export type Lane = (typeof LANES)[number]

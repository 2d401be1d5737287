import * as assert from 'uvu/assert'
import type { Job } from '../public-shapes.ts'

/** The forms of values, and the fields of objects, as the specification writes them. */

export const TX_HASH = /^0x[0-9a-f]{64}$/
export const ADDRESS = /^0x[0-9a-fA-F]{40}$/
export const JOB_ID = /^job_[0-9A-Za-z]+$/
export const PROOF_HASH = /^sha256:[0-9a-f]{64}$/
export const TIERS = ['lite', 'standard', 'pro', 'max']
const STATUSES = ['pending', 'processing', 'settling', 'settled', 'failed', 'refunded', 'disputed']
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

const JOB_FIELDS = [
  'id',
  'object',
  'status',
  'model',
  'tier',
  'credits_charged',
  'usdg_value',
  'worker_address',
  'created_at',
  'completed_at',
  'on_chain',
  'usage',
]
export const ON_CHAIN_FIELDS = [
  'escrow_tx',
  'settlement_tx',
  'escrow_address',
  'block_number',
  'proof_hash',
  'refund_tx',
  'dispute_tx',
]
export const MODEL_FIELDS = ['id', 'object', 'created', 'owned_by', 'svc']
export const MODEL_SVC_FIELDS = [
  'tier',
  'credits_per_request',
  'credits_per_1k_tokens',
  'active_workers',
  'median_latency_ms',
  'parameters',
  'context_window',
]
const USAGE_FIELDS = ['prompt_tokens', 'completion_tokens', 'total_tokens']

/** These fields and no others. */
export function hasFields(value: object, fields: readonly string[]): void {
  assert.equal(Object.keys(value).sort(), [...fields].sort())
}

export function isInteger(value: unknown, least = 0): void {
  assert.ok(Number.isInteger(value) && Number(value) >= least, `${value} is no integer >= ${least}`)
}

/** @returns the time in milliseconds */
export function timestamp(value: unknown): number {
  if (typeof value !== 'string') throw new Error(`a timestamp is a string, not ${value}`)
  assert.match(value, ISO_UTC)
  return Date.parse(value)
}

/** Unix seconds of a moment of this test run, give or take. */
export function isNow(unixSeconds: number): void {
  isInteger(unixSeconds)
  assert.ok(Math.abs(unixSeconds - Date.now() / 1000) < 300, `${unixSeconds} is not now`)
}

/** What holds for a job in any state. */
export function checkJob(job: Job): void {
  hasFields(job, JOB_FIELDS)
  hasFields(job.on_chain, ON_CHAIN_FIELDS)
  assert.match(job.id, JOB_ID)
  assert.is(job.object, 'job')
  assert.ok(STATUSES.includes(job.status), job.status)
  assert.ok(TIERS.includes(job.tier), job.tier)
  isInteger(job.credits_charged)
  assert.is(job.usdg_value, job.credits_charged / 100)
  timestamp(job.created_at)
  if (job.completed_at !== null) timestamp(job.completed_at)
  if (job.worker_address !== null) assert.match(job.worker_address, ADDRESS)
  const { escrow_tx, settlement_tx, refund_tx, dispute_tx, proof_hash } = job.on_chain
  for (const tx of [escrow_tx, settlement_tx, refund_tx, dispute_tx]) {
    if (tx !== null) assert.match(tx, TX_HASH)
  }
  if (proof_hash !== null) assert.match(proof_hash, PROOF_HASH)
  if (job.usage !== null) checkUsage(job.usage)
}

export function checkUsage(usage: NonNullable<Job['usage']>): void {
  hasFields(usage, USAGE_FIELDS)
  for (const value of Object.values(usage)) isInteger(value)
  assert.is(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens)
}

import type { EventType } from '../../../../messages/webhook.ts'

/** When each event is sent, in the words of the reference. */
export const EVENTS: Readonly<Record<EventType, string>> = {
  'job.submitted': 'a job exists and its credits sit in escrow',
  'job.processing': 'a worker picked up the job',
  'job.completed': 'settlement finished and the worker got paid',
  'job.failed': 'the job died before finishing',
  'job.timeout': '120 seconds passed with no worker finishing; credits returned',
  'job.disputed': 'you contested a completed job',
  'credit.low': 'your balance dropped under the threshold in Settings',
  'credit.topup': 'your balance received new credits',
  'worker.registered': 'a worker joined the network',
  'worker.slashed': 'a worker lost stake after a false proof',
}

export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventType[]

/**
 * The rows that tell of a job's life: they need an upstream that a test holds in its hand, short
 * windows, and a chain that confirms when it is told to.
 */
export const LIFE_ROWS = {
  Model: ['a model is listed only while at least one worker hosts it'],
  'Job status': [
    'pending: escrow holds the credits while the network finds a worker',
    'processing: a worker took the job and runs inference',
    'settling: the proof landed, confirmation is in progress',
    'settled: the worker is paid and the credits left the balance',
    'failed: something broke before the job finished',
    'refunded: the timeout hit and the credits went back',
    'disputed: the caller contested the result',
  ],
  'Moves shown': [
    'timeout: refunded, credits return, 504 job_timeout with refund_tx',
    'dispute: disputed, the response carries dispute_tx, window 24 hours',
  ],
  'Moves (choice)': [
    'pending to processing to settling to settled',
    'processing to failed: all credits back',
    'pending to refunded: a job that no worker took in time',
    'a worker that finishes after the window is not paid',
    'settling to disputed once the settlement is in',
    'a terminal state never moves',
  ],
  'Credit accounting': [
    '(1) escrow locks on arrival, before routing',
    '(2) escrow releases when the proof passes on-chain verification',
    '(3) the deduction happens when settlement is confirmed',
    '(4) fewer output tokens than locked: the difference returns',
  ],
  'Job (choice)': [
    'every field is present at all times, unknown ones null',
    'credits_charged and usdg_value are 0 until settled',
    'a refunded or failed job carries refund_tx',
    'a disputed job carries dispute_tx',
    'escrow_tx is the transaction that was mined',
  ],
  'POST /jobs/<job_id>/dispute': [
    'received_output_hash: string, required, form sha256:<hex>',
    'the hash is over the complete text, UTF-8, any trailing newline dropped',
    'job_id: string',
    'dispute_opened: true',
    'your_hash: sha256:<hex>',
    'worker_hash: sha256:<hex>',
    'dispute_tx: transaction hash',
    'arbitration_window_hours: 24',
    'equal hashes open nothing and leave the status unchanged',
    'more than the window after the final output token: 422',
  ],
  'POST /jobs/<job_id>/dispute (choice)': [
    'equal hashes: 200 with dispute_opened false and nulls',
    'no finished output: 409 job_not_completed',
    'a second dispute: 409 dispute_already_open',
    'a malformed hash: 400, param received_output_hash',
    'a job of another wallet: 404 job_not_found',
  ],
  'HTTP statuses': [
    '409: its state conflicts with the operation',
    '422: a well-formed request fails a semantic rule',
    '500: internal failure',
    '503: no worker hosts the requested model',
    '504: job timed out, credits returned',
  ],
  'Error codes': [
    'no_workers_available 503 with details model, retry_after',
    'job_timeout 504 with details job_id, credits_refunded, refund_tx',
    'context_length_exceeded 400 from the worker: all credits back',
    'dispute_window_expired 422',
  ],
  'Retry rules': ['a 504 has already refunded the credits', 'a 503 tells when to retry'],
  Limits: [
    'Job window: refund and 504',
    'Dispute window: from the final output token',
    'Arbitration window: 24 hours',
  ],
  'Price (choice)': [
    'hang-up, nothing generated: cancelled, all credits back, failed',
    'hang-up mid-answer: what was generated is proven, charged and settled',
    'worker lost, nothing sent: another worker, the same lock, one answer',
    'worker lost mid-answer: failed, all credits back, an error event and no [DONE]',
  ],
  'Streaming (choice)': [
    'after headers a failure is an error event, then the end without [DONE]',
    'finish_reason content_filter passes',
    'comment lines only after 10 s of silence',
    'no text waits for the chain',
  ],
  'Retried requests (choice)': [
    'the same Idempotency-Key joins the running job',
    'the same body with x-stainless-retry-count joins the running job',
    'the same body without either is a job of its own',
    'the same Idempotency-Key of another wallet is a job of its own',
  ],
} as const

/** The rows of the burst limit: a network of its own, because every other one has it off. */
export const BURST_ROWS = {
  'HTTP statuses': ['429: per-IP burst limit'],
  'Error codes (choice)': ['rate_limited 429 with a retry-after header'],
  'Burst limit (choice)': [
    'a token bucket: a burst passes, and time fills it again',
    'the limit is per IP, not per key',
    '50 requests a second and bursts of 200, unless set otherwise',
  ],
} as const

import { type Static, Type } from '@sinclair/typebox'
import { jobId, nullable, publicHash, txHash } from './forms.ts'

/** Body of POST /v1/jobs/<id>/dispute. Unknown fields pass. */
export const disputeBody = Type.Object(
  {
    received_output_hash: Type.String({
      pattern: '^sha256:[0-9a-fA-F]{64}$',
      description:
        '`sha256:` and the SHA-256, in hex, of the complete text as received, in UTF-8, without trailing newlines.',
      examples: [`sha256:${'9c'.repeat(32)}`],
    }),
  },
  { title: 'DisputeRequest', description: 'What the caller received.' },
)
export type DisputeBody = Static<typeof disputeBody>

export const disputeSchema = Type.Object(
  {
    job_id: jobId('The job.'),
    dispute_opened: Type.Boolean({
      description: 'True where the hashes differ; false where they agree and nothing was opened.',
    }),
    your_hash: publicHash('The hash that was sent.'),
    worker_hash: publicHash('The hash that the worker put on chain.'),
    dispute_tx: nullable(
      txHash(
        'Transaction that opens the dispute. Null where none was opened, and where it is not sent within 20 s: then the dispute stands all the same, and the job tells its transaction later.',
      ),
    ),
    arbitration_window_hours: nullable(
      Type.Integer({ description: '24 where a dispute was opened, else null.', examples: [24] }),
    ),
  },
  { title: 'Dispute', description: 'What came of a dispute.' },
)

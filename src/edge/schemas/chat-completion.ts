import { Type } from '@sinclair/typebox'
import {
  address,
  completionId,
  count,
  jobId,
  modelId,
  nullable,
  oneOf,
  publicHash,
  txHash,
  unixSeconds,
} from '../../api/schemas/forms.ts'
import { usageSchema } from '../../api/schemas/usage.ts'
import { FINISH_REASONS } from '../../domain/chat.ts'

const finishReason = oneOf(
  FINISH_REASONS,
  '`stop`: a natural end or a stop sequence. `length`: the cap on tokens, or what the balance covers, was reached. `content_filter`: the engine withheld the rest.',
)
const identity = {
  id: completionId('`chatcmpl-` and the job ID.'),
  created: unixSeconds('When the request arrived, Unix seconds.'),
  model: modelId('ID of the model.'),
}
const index = count('Always 0: one choice is made a request.')

const choice = Type.Object(
  {
    index,
    message: Type.Object(
      {
        role: oneOf(['assistant'], 'Always `assistant`.'),
        content: Type.String({ description: 'The answer.' }),
      },
      { title: 'Answer', description: 'The answer.' },
    ),
    finish_reason: finishReason,
  },
  { title: 'Choice' },
)

export const completionSchema = Type.Object(
  {
    id: identity.id,
    object: oneOf(['chat.completion'], 'Always `chat.completion`.'),
    created: identity.created,
    model: identity.model,
    choices: Type.Array(choice, { minItems: 1, maxItems: 1, description: 'Exactly one.' }),
    usage: usageSchema,
  },
  { title: 'ChatCompletion', description: 'A whole answer.' },
)

const delta = Type.Object(
  {
    role: Type.Optional(oneOf(['assistant'], 'On the first chunk only.')),
    content: Type.Optional(Type.String({ description: 'The next piece of the answer.' })),
  },
  { title: 'Delta', description: 'Empty on the last chunk.' },
)
const chunkChoice = Type.Object(
  { index, delta, finish_reason: nullable(finishReason) },
  { title: 'ChunkChoice' },
)

const receipt = Type.Object(
  {
    job_id: jobId('The job.'),
    escrow_tx: txHash('Transaction that locked the escrow.'),
    settlement_tx: nullable(
      txHash('Settlement transaction; null where it was not sent within a second.'),
    ),
    worker: address('On-chain address of the serving worker.'),
    credits_charged: count('What the answer costs.'),
    credits_remaining: nullable(
      count('Balance after this request is accounted for; null where it cannot be read now.'),
    ),
    output_hash: publicHash("SHA-256 of the answer's text, as the worker signed it."),
  },
  {
    title: 'StreamReceipt',
    description: 'What the headers of a plain answer tell; on the last chunk.',
  },
)

export const chunkSchema = Type.Object(
  {
    id: identity.id,
    object: oneOf(['chat.completion.chunk'], 'Always `chat.completion.chunk`.'),
    created: identity.created,
    model: identity.model,
    choices: Type.Array(chunkChoice, {
      maxItems: 1,
      description: 'One; none on the extra chunk that `stream_options.include_usage` asks for.',
    }),
    usage: Type.Optional(nullable(usageSchema)),
    svc: Type.Optional(receipt),
  },
  {
    title: 'ChatCompletionChunk',
    description:
      'One event of a stream. All events of a stream have the same id, created and model.',
  },
)

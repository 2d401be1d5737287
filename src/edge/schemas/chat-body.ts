import { type Static, Type } from '@sinclair/typebox'
import {
  checkedByHand,
  given,
  modelId,
  nullable,
  oneOf,
  shownAs,
  unchecked,
} from '../../api/schemas/forms.ts'
import { LIMITS } from '../../domain/limits.ts'

const textPart = Type.Object(
  {
    type: oneOf(['text'], 'Text is the only kind there is.'),
    text: Type.String({ description: 'The text.' }),
  },
  { title: 'TextPart' },
)
const parts = Type.Array(textPart, { description: 'Parts, joined without a space between them.' })
const noCalls = nullable(
  Type.Array(Type.Unknown(), {
    maxItems: 0,
    description: 'Tool calling is planned for Phase 2.',
  }),
)
const noCall = Type.Null({ description: 'The older name of `tool_calls`.' })

const noAudio = Type.Null({ description: 'Audio is not supported: send the text.' })

const promptMessage = Type.Object(
  {
    role: oneOf(['system', 'developer', 'user'], '`developer` is read as `system`.'),
    content: Type.Union([Type.String(), parts], { description: 'The text.' }),
    tool_calls: Type.Optional(noCalls),
    function_call: Type.Optional(noCall),
    audio: Type.Optional(noAudio),
  },
  { title: 'PromptMessage' },
)
const assistantMessage = Type.Object(
  {
    role: oneOf(['assistant'], 'An earlier answer.'),
    content: Type.Optional(
      Type.Union([Type.String(), parts, Type.Null()], {
        description: 'The text; none counts as empty.',
      }),
    ),
    tool_calls: Type.Optional(noCalls),
    function_call: Type.Optional(noCall),
    audio: Type.Optional(noAudio),
  },
  { title: 'AssistantMessage' },
)
const message = Type.Union([promptMessage, assistantMessage], { title: 'Message' })

const cap = (description: string) => Type.Integer({ minimum: 1, maximum: TOKENS_MAX, description })
const penalty = (description: string) => Type.Number({ minimum: -2, maximum: 2, description })
/** No model generates as many, and every figure made of it is exact. */
const TOKENS_MAX = 2 ** 31 - 1
const seeds = { minimum: -(2 ** 63), maximum: 2 ** 63 }
const stopSequence = Type.String({ minLength: 1 })

/** What would change the answer if it were ignored: only the value that asks for nothing passes. */
const only = (value: string | number | boolean, description: string) =>
  checkedByHand(nullable(Type.Literal(value, { description })))
const onlyEmpty = (description: string) =>
  checkedByHand(nullable(Type.Array(Type.Unknown(), { maxItems: 0, description })))
const PLANNED = 'Tool calling is planned for Phase 2.'

/** Body of POST /v1/chat/completions. Unknown fields pass; nothing is coerced or removed. */
export const chatBody = Type.Object(
  {
    model: modelId('A model ID of `GET /v1/models`.'),
    messages: Type.Array(
      shownAs(
        Type.Object({
          role: Type.String(),
          content: unchecked,
          tool_calls: unchecked,
          function_call: unchecked,
          audio: unchecked,
        }),
        message,
      ),
      {
        minItems: 1,
        maxItems: LIMITS.messagesMax,
        description: 'The conversation, in order.',
      },
    ),
    stream: given(
      Type.Boolean({ default: false, description: 'Send the answer as Server-Sent Events.' }),
    ),
    stream_options: given(
      Type.Object(
        {
          include_usage: checkedByHand(
            nullable(
              Type.Boolean({
                default: false,
                description: 'One extra chunk with `choices: []` and `usage` before `[DONE]`.',
              }),
            ),
          ),
        },
        { title: 'StreamOptions', description: 'Read only with `stream`.' },
      ),
    ),
    max_tokens: given(
      cap(
        'Most tokens to generate. Their price is locked in full; without it, as much as the balance covers.',
      ),
    ),
    max_completion_tokens: given(
      cap('Newer name of `max_tokens`. Both, and different: `invalid_request`.'),
    ),
    temperature: given(
      Type.Number({ minimum: 0, maximum: 2, description: 'Randomness of sampling.' }),
    ),
    top_p: given(Type.Number({ minimum: 0, maximum: 1, description: 'Nucleus sampling cutoff.' })),
    stop: checkedByHand(
      Type.Union(
        [
          stopSequence,
          Type.Array(stopSequence, { maxItems: LIMITS.stopSequencesMax }),
          Type.Null(),
        ],
        { description: 'Sequences that stop generation; they are not part of the answer.' },
      ),
    ),
    frequency_penalty: given(penalty('Penalty on tokens by how often they occurred.')),
    presence_penalty: given(penalty('Penalty on tokens that occurred.')),
    seed: given(
      Type.Integer({
        ...seeds,
        description:
          'Best-effort reproducible sampling: inference is distributed. Of 64 bits; beyond 2^53 the lower 53 count.',
      }),
    ),
    n: only(1, 'One choice is made a request.'),
    logprobs: only(false, 'Not supported.'),
    top_logprobs: only(0, 'Not supported.'),
    tools: onlyEmpty(PLANNED),
    tool_choice: only('none', PLANNED),
    functions: onlyEmpty(PLANNED),
    function_call: only('none', PLANNED),
    response_format: checkedByHand(
      nullable(
        Type.Object(
          { type: oneOf(['text'], 'Always `text`.') },
          { title: 'ResponseFormat', description: 'Structured output is not supported.' },
        ),
      ),
    ),
    modalities: checkedByHand(
      nullable(
        Type.Array(oneOf(['text'], 'Answers are text.'), { description: 'Answers are text.' }),
      ),
    ),
    audio: checkedByHand(Type.Null({ description: 'Answers are text.' })),
  },
  {
    title: 'ChatRequest',
    description:
      'Fields that are not listed, such as `user`, `metadata`, `store`, `service_tier` and `logit_bias`, are taken and ignored. An optional field of `null` counts as not given.',
    examples: [
      {
        model: 'Qwen/Qwen3-8B',
        messages: [
          { role: 'system', content: 'Answer in one sentence.' },
          { role: 'user', content: 'What is an escrow?' },
        ],
        max_tokens: 200,
      },
    ],
  },
)
export type ChatBody = Static<typeof chatBody>

/** Common clients send `null` for a field that was not given: then it is not given. */
export function dropNulls(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return
  for (const [name, value] of Object.entries(body)) {
    if (value === null) Reflect.deleteProperty(body, name)
  }
}

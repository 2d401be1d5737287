import { type Static, Type } from '@sinclair/typebox'
import { LIMITS } from '../domain/limits.ts'

const given = Type.Optional
/** Checked by hand in chat-request.ts, where the refusal can say more than a schema can. */
const later = Type.Optional(Type.Unknown())
const wholeNumber = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/** Body of POST /v1/chat/completions. Unknown fields pass; nothing is coerced or removed. */
export const chatBody = Type.Object({
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(Type.Object({ role: Type.String(), content: later, tool_calls: later }), {
    minItems: 1,
    maxItems: LIMITS.messagesMax,
  }),
  stream: given(Type.Boolean()),
  stream_options: given(Type.Object({ include_usage: later })),
  max_tokens: given(Type.Integer({ minimum: 1 })),
  max_completion_tokens: given(Type.Integer({ minimum: 1 })),
  temperature: given(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: given(Type.Number({ minimum: 0, maximum: 1 })),
  stop: later,
  frequency_penalty: given(Type.Number({ minimum: -2, maximum: 2 })),
  presence_penalty: given(Type.Number({ minimum: -2, maximum: 2 })),
  seed: given(Type.Integer(wholeNumber)),
  n: later,
  logprobs: later,
  top_logprobs: later,
  tools: later,
  tool_choice: later,
  parallel_tool_calls: later,
  functions: later,
  function_call: later,
  response_format: later,
  modalities: later,
  audio: later,
})
export type ChatBody = Static<typeof chatBody>

/** Common clients send `null` for a field that was not given: then it is not given. */
export function dropNulls(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return
  for (const [name, value] of Object.entries(body)) {
    if (value === null) Reflect.deleteProperty(body, name)
  }
}

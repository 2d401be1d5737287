import type { Refusal } from '../../domain/errors.ts'
import type { ChatBody } from '../schemas/chat-body.ts'

/**
 * Refuses what would change the answer if it were ignored (choices, "Chat completions on the
 * wire"). A value that asks for nothing, such as an empty list of tools, passes.
 */
export function refuseUnsupported(body: ChatBody): Refusal | undefined {
  for (const { param, asks, message } of UNSUPPORTED) {
    const value = body[param]
    if (value !== undefined && asks(value)) return { code: 'invalid_request', message, param }
  }
  return undefined
}

interface Unsupported {
  readonly param: keyof ChatBody
  /** Whether this value asks for what we do not have. */
  readonly asks: (value: unknown) => boolean
  readonly message: string
}

const unless =
  (...harmless: readonly unknown[]) =>
  (value: unknown) =>
    !harmless.includes(value)
const notEmpty = (value: unknown) => !Array.isArray(value) || value.length > 0
const toolCalling = (param: keyof ChatBody, asks: Unsupported['asks']): Unsupported => ({
  param,
  asks,
  message: `\`${param}\` is not supported: tool calling is planned for Phase 2.`,
})
const typeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined

const UNSUPPORTED: readonly Unsupported[] = [
  toolCalling('tools', notEmpty),
  toolCalling('tool_choice', unless('none')),
  toolCalling('functions', notEmpty),
  toolCalling('function_call', unless('none')),
  { param: 'n', asks: unless(1), message: '`n` must be 1: one completion is made a request.' },
  { param: 'logprobs', asks: unless(false), message: '`logprobs` is not supported.' },
  { param: 'top_logprobs', asks: unless(0), message: '`top_logprobs` is not supported.' },
  {
    param: 'response_format',
    asks: (value) => typeOf(value) !== 'text',
    message: '`response_format` must be {"type": "text"}: structured output is not supported.',
  },
  {
    param: 'modalities',
    asks: (value) => !Array.isArray(value) || value.some((kind) => kind !== 'text'),
    message: '`modalities` may hold only "text".',
  },
  { param: 'audio', asks: () => true, message: '`audio` is not supported: answers are text.' },
]

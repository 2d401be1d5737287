import type { ChatMessage, ChatRequest, Sampling } from '../../domain/chat.ts'
import type { Refusal } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { ChatBody } from '../schemas/chat-body.ts'
import { refuseUnsupported } from './chat-unsupported.ts'

/** What the caller asked for: the prompt, and how it wants the answer. */
export interface ChatOrder {
  readonly prompt: ChatRequest
  readonly maxTokens: number | undefined
  readonly stream: boolean
  readonly includeUsage: boolean
}

/** From a body that fits the schema to an order, or the reason why not. */
export function parseChatRequest(body: ChatBody): Result<ChatOrder, Refusal> {
  const unsupported = refuseUnsupported(body)
  if (unsupported) return err(unsupported)
  const maxTokens = parseMaxTokens(body)
  if (!maxTokens.ok) return maxTokens
  const stop = parseStop(body.stop)
  if (!stop.ok) return stop
  const includeUsage = parseIncludeUsage(body.stream_options)
  if (!includeUsage.ok) return includeUsage
  const messages = parseMessages(body.messages)
  if (!messages.ok) return messages
  return ok({
    prompt: {
      model: body.model,
      messages: messages.value,
      sampling: samplingOf(body, stop.value),
    },
    maxTokens: maxTokens.value,
    stream: body.stream === true,
    includeUsage: includeUsage.value,
  })
}

const invalid = (param: string, message: string) =>
  err<Refusal>({ code: 'invalid_request', message, param })

function parseMaxTokens(body: ChatBody): Result<number | undefined, Refusal> {
  const { max_tokens: older, max_completion_tokens: newer } = body
  if (older !== undefined && newer !== undefined && older !== newer) {
    return invalid(
      'max_completion_tokens',
      '`max_completion_tokens` is the newer name of `max_tokens`, and the two differ: send one.',
    )
  }
  return ok(newer ?? older)
}

function parseStop(stop: unknown): Result<readonly string[] | undefined, Refusal> {
  if (stop === undefined) return ok(undefined)
  const sequences: readonly unknown[] = Array.isArray(stop) ? stop : [stop]
  if (sequences.length > LIMITS.stopSequencesMax) {
    return invalid('stop', `\`stop\` takes at most ${LIMITS.stopSequencesMax} sequences.`)
  }
  if (!sequences.every(isSequence)) {
    return invalid('stop', '`stop` must be a string or an array of strings, none of them empty.')
  }
  return ok(sequences.length === 0 ? undefined : sequences.map((each) => each.toWellFormed()))
}

const isSequence = (value: unknown): value is string => typeof value === 'string' && value !== ''

function parseIncludeUsage(options: ChatBody['stream_options']): Result<boolean, Refusal> {
  const value = options?.include_usage ?? false
  return typeof value === 'boolean'
    ? ok(value)
    : invalid('stream_options.include_usage', '`stream_options.include_usage` must be a boolean.')
}

function samplingOf(body: ChatBody, stop: readonly string[] | undefined): Sampling {
  return {
    ...(body.temperature === undefined ? {} : { temperature: body.temperature }),
    ...(body.top_p === undefined ? {} : { top_p: body.top_p }),
    ...(stop === undefined ? {} : { stop }),
    ...(body.frequency_penalty === undefined ? {} : { frequency_penalty: body.frequency_penalty }),
    ...(body.presence_penalty === undefined ? {} : { presence_penalty: body.presence_penalty }),
    ...(body.seed === undefined ? {} : { seed: seedOf(body.seed) }),
  }
}

/** JSON keeps 53 bits of a number exactly, and so does what engines are asked with. */
const seedOf = (seed: number): number =>
  Number.isSafeInteger(seed) ? seed : Number(BigInt.asIntN(53, BigInt(seed)))

function parseMessages(given: ChatBody['messages']): Result<ChatMessage[], Refusal> {
  const messages: ChatMessage[] = []
  for (const [index, message] of given.entries()) {
    const parsed = parseMessage(message, `messages[${index}]`)
    if (!parsed.ok) return parsed
    messages.push(parsed.value)
  }
  return ok(messages)
}

const ROLES: ReadonlyMap<string, ChatMessage['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'], // the newer name
  ['user', 'user'],
  ['assistant', 'assistant'],
])

function parseMessage(
  message: ChatBody['messages'][number],
  where: string,
): Result<ChatMessage, Refusal> {
  const role = ROLES.get(message.role)
  if (role === undefined) {
    const planned =
      message.role === 'tool' || message.role === 'function'
        ? ' Tool calling is planned for Phase 2.'
        : ''
    return invalid(
      `${where}.role`,
      `\`${where}.role\` must be system, developer, user or assistant.${planned}`,
    )
  }
  const call = callIn(message)
  if (call) {
    return invalid(
      `${where}.${call}`,
      `\`${where}.${call}\` is not supported: tool calling is planned for Phase 2.`,
    )
  }
  if ((message.audio ?? null) !== null) {
    return invalid(
      `${where}.audio`,
      `\`${where}.audio\` cannot be read. Audio inputs are not supported; send the text of that answer.`,
    )
  }
  const content = parseContent(message.content, role, where)
  // A text that was cut in the middle of a character would reach the worker with three others there.
  return content.ok ? ok({ role, content: content.value.toWellFormed() }) : content
}

/** By which of the two fields that hold one a tool was called. */
function callIn(message: ChatBody['messages'][number]): 'tool_calls' | 'function_call' | undefined {
  const calls = message.tool_calls ?? []
  if (!Array.isArray(calls) || calls.length > 0) return 'tool_calls'
  return (message.function_call ?? null) === null ? undefined : 'function_call'
}

function parseContent(
  content: unknown,
  role: ChatMessage['role'],
  where: string,
): Result<string, Refusal> {
  if (typeof content === 'string') return ok(content)
  // A turn that was only a call has no text; some clients keep it in the history.
  if (role === 'assistant' && (content === undefined || content === null)) return ok('')
  if (!Array.isArray(content)) {
    const problem = content === undefined ? 'is required' : 'must be a string or an array of parts'
    return invalid(`${where}.content`, `\`${where}.content\` ${problem}.`)
  }
  let text = ''
  for (const [index, part] of content.entries()) {
    const parsed = parsePart(part, `${where}.content[${index}]`)
    if (!parsed.ok) return parsed
    text += parsed.value
  }
  return ok(text)
}

const PLANNED_PARTS: ReadonlyMap<unknown, string> = new Map([
  ['image_url', 'Image inputs are planned for Phase 2; send text parts only.'],
  ['input_audio', 'Audio inputs are not supported; send text parts only.'],
])

function parsePart(part: unknown, where: string): Result<string, Refusal> {
  const { type, text } = fieldsOf(part)
  if (type === 'text') {
    return typeof text === 'string'
      ? ok(text)
      : invalid(`${where}.text`, `\`${where}.text\` must be a string.`)
  }
  const why = PLANNED_PARTS.get(type) ?? 'Only parts of type `text` are accepted.'
  return invalid(where, `\`${where}\` cannot be read. ${why}`)
}

const fieldsOf = (part: unknown): { type?: unknown; text?: unknown } =>
  typeof part === 'object' && part !== null ? part : {}

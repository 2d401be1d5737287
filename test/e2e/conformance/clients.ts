import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  AIMessage,
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { APICallError, generateText, streamText } from 'ai'
import OpenAI, { APIError } from 'openai'

/** What is asked of every client, in the words of none. */
export interface Ask {
  readonly model: string
  readonly system: string
  readonly turns: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
  readonly maxTokens: number
  readonly sampling?: Sampling
}
export interface Sampling {
  readonly temperature: number
  readonly topP: number
  readonly stop: readonly string[]
  readonly frequencyPenalty: number
  readonly presencePenalty: number
  readonly seed: number
}

/** What a client makes of an answer. */
export interface Shown {
  /** As the answer has it: `chatcmpl-…`. */
  readonly id: string
  readonly text: string
  readonly finishReason: string
  readonly promptTokens: number
  readonly completionTokens: number
}

/** What a client makes of a refusal. */
export interface ShownError {
  readonly status: number | undefined
  readonly code: string | undefined
  readonly message: string
}

export interface Door {
  /** Ends in /v1. */
  readonly baseUrl: string
  readonly apiKey: string
}

/** A published client, changed in nothing but the address and the key. */
export interface RealClient {
  readonly name: string
  plain(door: Door, ask: Ask): Promise<Shown>
  /** @param onText leaves the stream when it says so */
  stream(door: Door, ask: Ask, onText?: (text: string) => 'leave' | undefined): Promise<Shown>
  errorOf(error: unknown): ShownError
}

const PATIENCE_MS = 90_000
const messagesOf = ({ system, turns }: Ask) => [
  { role: 'system' as const, content: system },
  ...turns,
]

const openAi: RealClient = {
  name: 'OpenAI',
  plain: async (door, ask) => {
    const { id, choices, usage } = await openAiOf(door).chat.completions.create(openAiBody(ask))
    const [choice] = choices
    return {
      id,
      text: choice?.message.content ?? '',
      finishReason: choice?.finish_reason ?? '',
      promptTokens: usage?.prompt_tokens ?? -1,
      completionTokens: usage?.completion_tokens ?? -1,
    }
  },
  stream: async (door, ask, onText) => {
    const stream = await openAiOf(door).chat.completions.create({
      ...openAiBody(ask),
      stream: true,
      stream_options: { include_usage: true },
    })
    let shown: Shown = {
      id: '',
      text: '',
      finishReason: '',
      promptTokens: -1,
      completionTokens: -1,
    }
    for await (const { id, choices, usage } of stream) {
      const [choice] = choices
      shown = {
        id,
        text: shown.text + (choice?.delta.content ?? ''),
        finishReason: choice?.finish_reason ?? shown.finishReason,
        promptTokens: usage?.prompt_tokens ?? -1,
        completionTokens: usage?.completion_tokens ?? -1,
      }
      if (onText?.(shown.text) === 'leave') stream.controller.abort()
    }
    return shown
  },
  errorOf: (error) => {
    if (!(error instanceof APIError)) throw error
    return { status: error.status, code: error.code ?? undefined, message: error.message }
  },
}

const openAiOf = ({ baseUrl, apiKey }: Door) =>
  new OpenAI({ baseURL: baseUrl, apiKey, timeout: PATIENCE_MS })

const openAiBody = (ask: Ask) => ({
  model: ask.model,
  messages: messagesOf(ask),
  max_tokens: ask.maxTokens,
  ...(ask.sampling && {
    temperature: ask.sampling.temperature,
    top_p: ask.sampling.topP,
    stop: [...ask.sampling.stop],
    frequency_penalty: ask.sampling.frequencyPenalty,
    presence_penalty: ask.sampling.presencePenalty,
    seed: ask.sampling.seed,
  }),
})

const aiSdk: RealClient = {
  name: 'Vercel AI SDK',
  plain: async (door, ask) => {
    const { response, text, finishReason, usage } = await generateText(aiSdkCall(door, ask))
    return {
      id: response.id,
      text,
      finishReason,
      promptTokens: usage.inputTokens ?? -1,
      completionTokens: usage.outputTokens ?? -1,
    }
  },
  stream: async (door, ask, onText) => {
    const leaving = new AbortController()
    const result = streamText({
      ...aiSdkCall(door, ask),
      abortSignal: leaving.signal,
      // Told in the stream as well, which is where we look.
      onError: () => {},
    })
    let text = ''
    for await (const part of result.fullStream) {
      if (part.type === 'error') throw part.error
      if (part.type === 'abort') return { ...nothing, text }
      if (part.type !== 'text-delta') continue
      text += part.text
      if (onText?.(text) === 'leave') leaving.abort()
    }
    const [{ id }, finishReason, usage] = await Promise.all([
      result.response,
      result.finishReason,
      result.usage,
    ])
    return {
      id,
      text,
      finishReason,
      promptTokens: usage.inputTokens ?? -1,
      completionTokens: usage.outputTokens ?? -1,
    }
  },
  errorOf: (error) => {
    if (APICallError.isInstance(error)) {
      const body = error.responseBody ? JSON.parse(error.responseBody) : {}
      return { status: error.statusCode, code: body.error?.code, message: error.message }
    }
    // An error event in a stream arrives as the envelope's object itself.
    const { code, message } = error as { code: string; message: string }
    return { status: undefined, code, message }
  },
}

const nothing: Shown = {
  id: '',
  text: '',
  finishReason: '',
  promptTokens: -1,
  completionTokens: -1,
}

function aiSdkCall({ baseUrl, apiKey }: Door, ask: Ask) {
  const provider = createOpenAICompatible({
    name: 'prepaid',
    baseURL: baseUrl,
    apiKey,
    includeUsage: true,
  })
  return {
    model: provider.chatModel(ask.model),
    system: ask.system,
    messages: [...ask.turns],
    maxOutputTokens: ask.maxTokens,
    ...(ask.sampling && {
      temperature: ask.sampling.temperature,
      topP: ask.sampling.topP,
      stopSequences: [...ask.sampling.stop],
      frequencyPenalty: ask.sampling.frequencyPenalty,
      presencePenalty: ask.sampling.presencePenalty,
      seed: ask.sampling.seed,
    }),
  }
}

const langChain: RealClient = {
  name: 'LangChain',
  plain: async (door, ask) =>
    langChainShown(await langChainOf(door, ask).invoke(langChainMessages(ask))),
  stream: async (door, ask, onText) => {
    const leaving = new AbortController()
    const chunks = await langChainOf(door, ask).stream(langChainMessages(ask), {
      signal: leaving.signal,
    })
    let whole: AIMessageChunk | undefined
    for await (const chunk of chunks) {
      whole = whole ? whole.concat(chunk) : chunk
      if (onText?.(whole.text) === 'leave') leaving.abort()
    }
    return langChainShown(whole)
  },
  errorOf: (error) => {
    // Most errors of the client below are handed on; some are only like them.
    const { status, code, message } = error as Partial<APIError> & Error
    return { status, code: code ?? undefined, message }
  },
}

function langChainOf({ baseUrl, apiKey }: Door, { model, maxTokens, sampling }: Ask): ChatOpenAI {
  return new ChatOpenAI({
    model,
    apiKey,
    maxTokens,
    timeout: PATIENCE_MS,
    configuration: { baseURL: baseUrl },
    ...(sampling && {
      temperature: sampling.temperature,
      topP: sampling.topP,
      stop: [...sampling.stop],
      frequencyPenalty: sampling.frequencyPenalty,
      presencePenalty: sampling.presencePenalty,
      modelKwargs: { seed: sampling.seed },
    }),
  })
}

const langChainMessages = ({ system, turns }: Ask) => [
  new SystemMessage(system),
  ...turns.map(({ role, content }) =>
    role === 'user' ? new HumanMessage(content) : new AIMessage(content),
  ),
]

interface LangChainMessage {
  readonly id?: string | undefined
  readonly text: string
  readonly response_metadata: Readonly<Record<string, unknown>>
  readonly usage_metadata?: UsageMetadata | undefined
}

function langChainShown(message: LangChainMessage | undefined): Shown {
  return {
    id: message?.id ?? '',
    text: message?.text ?? '',
    finishReason: String(message?.response_metadata.finish_reason),
    promptTokens: message?.usage_metadata?.input_tokens ?? -1,
    completionTokens: message?.usage_metadata?.output_tokens ?? -1,
  }
}

export const CLIENTS: readonly RealClient[] = [openAi, aiSdk, langChain]

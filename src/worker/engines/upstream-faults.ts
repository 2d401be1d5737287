import { z } from 'zod'
import { EngineFault } from '../engine.ts'

// What vLLM, SGLang, llama.cpp, TGI and hosted services say when a prompt does not fit.
const CONTEXT =
  /context[ _](length|window|size)|maximum context|prompt is too long|too many (input )?tokens|`inputs` tokens|exceeds the model'?s? max/i

const MESSAGE_MAX = 300

const errorBody = z.object({
  error: z.union([
    z.string(),
    z.object({
      message: z.string().optional(),
      code: z.union([z.string(), z.number()]).nullish(),
      type: z.string().nullish(),
    }),
  ]),
})
const flatBody = z.object({ message: z.string() })
/** What servers built on FastAPI say of a body that they cannot read; its `input` would quote the prompt. */
const detailBody = z.object({
  detail: z.union([z.string(), z.array(z.object({ msg: z.string() })).nonempty()]),
})

/** What an upstream's refusal means. */
export function statusFault(status: number, body: string): EngineFault {
  const { message, words } = readError(body)
  if (status === 400 || status === 413 || status === 422) {
    const kind = CONTEXT.test(words) ? 'context_length' : 'invalid_request'
    return new EngineFault(
      kind,
      message.slice(0, MESSAGE_MAX) || `the engine refused the request (${status})`,
    )
  }
  const told = message ? `: ${message.slice(0, MESSAGE_MAX)}` : ''
  return new EngineFault('engine', `upstream answered ${status}${told}`)
}

/** The fault in an event of a stream, if the event is one. */
export function eventFault(data: unknown): EngineFault | undefined {
  // Asked of every event, and nearly none is one: a schema would put its refusal into words each time.
  if (typeof data !== 'object' || data === null || !('error' in data)) return undefined
  const parsed = errorBody.safeParse(data)
  if (!parsed.success) return undefined
  const { message, words } = readError(JSON.stringify(data))
  if (CONTEXT.test(words)) return new EngineFault('context_length', message.slice(0, MESSAGE_MAX))
  return new EngineFault('engine', `upstream broke off: ${message.slice(0, MESSAGE_MAX)}`)
}

/** @returns `message`: fit for the caller; `words`: all that may say what it is about */
function readError(body: string): { message: string; words: string } {
  const json = parseJson(body)
  const wrapped = errorBody.safeParse(json)
  if (wrapped.success) {
    const { error } = wrapped.data
    if (typeof error === 'string') return { message: error, words: error }
    const message = error.message ?? ''
    return { message, words: `${message} ${error.code ?? ''} ${error.type ?? ''}` }
  }
  const flat = flatBody.safeParse(json)
  if (flat.success) return { message: flat.data.message, words: flat.data.message }
  const detail = readDetail(json)
  // A body in no known form may quote the prompt: it is looked through, and not passed on.
  return { message: detail, words: detail || body }
}

function readDetail(json: unknown): string {
  const parsed = detailBody.safeParse(json)
  if (!parsed.success) return ''
  const { detail } = parsed.data
  return typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; ')
}

/** The value of a JSON text, or undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON: the caller deals with that
  }
}

import { z } from 'zod'
import { EngineFault } from '../engine.ts'

// What vLLM, SGLang, llama.cpp, TGI, TensorRT-LLM and hosted services say when a prompt does not fit.
const CONTEXT =
  /context[ _](length|window|size)|maximum context|prompt is too long|too many (input )?tokens|`inputs` tokens|exceeds the model'?s? max|max_seq_len/i

const MESSAGE_MAX = 300

const code = z.union([z.string(), z.number()]).nullish().catch(undefined)
const type = z.string().nullish().catch(undefined)
/** Google's word for it, and its reason: all of its refusals are a 400 with the same `code`. */
const status = z.string().nullish().catch(undefined)
const details = z
  .array(z.object({ reason: z.string().nullish() }))
  .nullish()
  .catch(undefined)
/** What OpenRouter's service was told itself by who answers for it, as text mostly: its own words say only that. */
const metadata = z.object({ raw: z.unknown() }).nullish().catch(undefined)
const envelope = z.object({
  ...{ message: z.string().optional(), code, type, status, details, metadata },
})
const errorBody = z.object({ error: z.union([z.string(), envelope]) })
/** What vLLM and others say without an envelope: `object` is `error` there. */
const flatBody = z.object({ message: z.string(), code, type, status, details })
type Envelope = z.infer<typeof envelope>
type Itself = Omit<Envelope, 'metadata'>
/** What servers built on FastAPI say of a body that they cannot read; its `input` would quote the prompt. */
const flaw = z.object({
  loc: z
    .array(z.union([z.string(), z.number()]))
    .optional()
    .catch(undefined),
  msg: z.string(),
})
const detailBody = z.object({ detail: z.union([z.string(), z.array(flaw).nonempty()]) })
/** The same as Mistral's service passes it on. */
const wrappedDetail = z.object({ message: detailBody })

/** Troubles between operator and upstream that some tell with a 400: Google, LiteLLM, Groq, Alibaba, OpenAI. Never words of a prompt. */
const OPERATORS =
  /^(API_KEY_INVALID|FAILED_PRECONDITION|budget_exceeded|model_decommissioned|organization_restricted|Arrearage|billing_hard_limit_reached)$/
/** The `code` of more than is allowed in a minute. Groq says it with a 413 as well, of one request that is more. */
const RATE = /^rate_limit_exceeded$/

/** Statuses for who has too much to do; 529 is Anthropic's and Cloudflare's. */
const TOO_MUCH = new Set([429, 529])
/** What Ollama, SGLang and others say with a 503, which is also the status of one that is not up. */
const BUSY = /server (is )?busy|overload|pending requests|queue is full|at capacity|rate.?limit/i
/** What is used up comes back when somebody pays, not in a moment. */
const USED_UP = /insufficient_quota|billing|credit balance|payment/i
/** Groq's and Together's limits of a minute end with the address where one pays for more. */
const ADDRESSES = /https?:\/\/\S+/g
/** Of a minute alone: Google says that word for word as it does what is used up, and when it is over. */
const COMES_BACK = /\b(re)?try (again )?in [\d.]+s/i

/** What an upstream's refusal means. */
export function statusFault(status: number, body: string): EngineFault {
  // A body in no known form may quote the prompt: it is looked through, and not passed on.
  return faultOf(status, readError(parseJson(body)) ?? { message: '', words: body })
}

/** What it means that the body of a 200 held no event: mostly an error told the wrong way. */
export function bodyFault(body: string): EngineFault {
  const json = parseJson(body)
  const told = readError(json)
  if (told) return toldFault(told)
  const what = json === undefined ? 'something that is no stream' : 'JSON that is no stream'
  return new EngineFault('engine', `upstream answered 200 with ${what}`)
}

/** The fault in an event of a stream, if the event is one. */
export function eventFault(data: unknown): EngineFault | undefined {
  // Asked of every event, and nearly none is one: a schema would put its refusal into words each time.
  if (typeof data !== 'object' || data === null) return undefined
  const isFlat = 'object' in data && data.object === 'error'
  if (!isFlat && !('error' in data)) return undefined
  const told = readError(data)
  if (told) return toldFault(told)
  return isFlat ? new EngineFault('engine', 'upstream broke off without a word') : undefined
}

/** An error as the upstream told it. */
interface Told {
  /** Fit for the caller. */
  readonly message: string
  /** All that may say what it is about. */
  readonly words: string
  /** As in `code`, where that is one. */
  readonly status?: number
  /** The caller has no part in it, whatever the status. */
  readonly isOperators?: boolean
  /** It would be taken at another time, whatever the status. */
  readonly isRate?: boolean
}

/** The fault that came with status 200: what it is about its words say, or the status in its `code`. */
function toldFault(told: Told): EngineFault {
  if (CONTEXT.test(told.words)) return faultOf(400, told)
  if (told.status !== undefined) return faultOf(told.status, told)
  return new EngineFault('engine', `upstream broke off: ${told.message.slice(0, MESSAGE_MAX)}`)
}

function faultOf(status: number, { message, words, isOperators, isRate }: Told): EngineFault {
  const said = message.slice(0, MESSAGE_MAX)
  if (status >= 300 && status < 400)
    return new EngineFault('engine', `upstream answered ${status}: ${REDIRECT}`)
  if ((status === 400 || status === 413 || status === 422) && !isOperators && !isRate) {
    const whose = CONTEXT.test(words) ? 'context_length' : 'invalid_request'
    return new EngineFault(whose, said || `the engine refused the request (${status})`)
  }
  const isBusy = TOO_MUCH.has(status) || (status === 503 && BUSY.test(words))
  const isUsedUp = USED_UP.test(words.replace(ADDRESSES, '')) && !COMES_BACK.test(words)
  const kind = isRate || (isBusy && !isUsedUp) ? 'overloaded' : 'engine'
  const advice = status === 401 || status === 403 ? ` (${KEY})` : ''
  return new EngineFault(kind, `upstream answered ${status}${advice}${said && `: ${said}`}`)
}

const KEY = 'is the key in UPSTREAM_API_KEY the one that it wants?'

const REDIRECT = 'a redirect, and none is followed. Give --upstream the address that it leads to'

/** @returns undefined where it is in no known form */
function readError(body: unknown): Told | undefined {
  // Google's endpoint puts it into a list of one.
  const json: unknown = Array.isArray(body) ? body[0] : body
  const wrapped = errorBody.safeParse(json)
  if (wrapped.success) {
    const { error } = wrapped.data
    return typeof error === 'string' ? { message: error, words: error } : toldBy(error)
  }
  const flat = flatBody.safeParse(json)
  if (flat.success) return toldItself(flat.data)
  const detail = readDetail(json)
  return detail ? { message: detail, words: detail } : undefined
}

function toldBy({ metadata, ...own }: Envelope): Told {
  const told = toldItself(own)
  const { raw } = metadata ?? {}
  const inner = readError(typeof raw === 'string' ? parseJson(raw) : raw)
  if (!inner) return told
  return {
    ...told,
    message: inner.message || told.message,
    words: `${told.words} ${inner.words}`,
    isOperators: Boolean(told.isOperators || inner.isOperators),
    isRate: Boolean(told.isRate || inner.isRate),
  }
}

function toldItself({ message = '', ...told }: Itself): Told {
  const { code, type } = told
  const words = `${message} ${code ?? ''} ${type ?? ''}`
  const marks = [code, type, told.status, ...(told.details ?? []).map(({ reason }) => reason)]
  const isOperators = marks.some((mark) => OPERATORS.test(String(mark)))
  const isRate = marks.some((mark) => RATE.test(String(mark)))
  const status = Number(code)
  return { message, words, isOperators, isRate, ...(status >= 400 && status < 600 && { status }) }
}

function readDetail(json: unknown): string {
  const wrapped = wrappedDetail.safeParse(json)
  const parsed = detailBody.safeParse(wrapped.success ? wrapped.data.message : json)
  if (!parsed.success) return ''
  const { detail } = parsed.data
  return typeof detail === 'string' ? detail : detail.map(flawText).join('; ')
}

/** Where in the request, and what: `stream_options.include_usage: Extra inputs are not permitted`. */
function flawText({ loc = [], msg }: z.infer<typeof flaw>): string {
  const where = loc.filter((part, i) => i > 0 || part !== 'body').join('.')
  return where === '' ? msg : `${where}: ${msg}`
}

/** The value of a JSON text, or undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON: the caller deals with that
  }
}

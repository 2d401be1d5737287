const CHAT = 'Use POST /v1/chat/completions.'

/**
 * Endpoints that callers of similar services look for, and what to tell them (specification,
 * Compatibility and Versioning). By the first segment after /v1.
 */
const NOT_OFFERED: ReadonlyMap<string, string> = new Map([
  ['embeddings', 'Embeddings are planned for Phase 2.'],
  [
    'images',
    'Image generation is not offered; image inputs in chat messages are planned for Phase 2.',
  ],
  ['auth', 'Wallet-native authentication is planned for Phase 2. Use an API key.'],
  [
    'api_keys',
    'Keys are made and revoked in the web app; more than one key a wallet is planned for Phase 2.',
  ],
  ['completions', `The legacy completions endpoint is not offered. ${CHAT}`],
  ['responses', `The Responses API is not offered. ${CHAT}`],
  // Anthropic's.
  ['messages', `The Messages API is not offered. ${CHAT}`],
  [
    'conversations',
    'Conversations are not offered. Send the conversation with each request to POST /v1/chat/completions.',
  ],
  [
    'assistants',
    'The Assistants API is not offered. Send the conversation with each request to POST /v1/chat/completions.',
  ],
  [
    'threads',
    'Threads are not offered. Send the conversation with each request to POST /v1/chat/completions.',
  ],
  [
    'vector_stores',
    'Vector stores are not offered. Send what the model should know in the messages of POST /v1/chat/completions.',
  ],
  [
    'fine_tuning',
    'Fine-tuning is not offered. GET /v1/models lists the models that are served, as they are.',
  ],
  ['files', 'Files are not offered. Send text in the messages of POST /v1/chat/completions.'],
  ['uploads', 'Uploads are not offered. Send text in the messages of POST /v1/chat/completions.'],
  ['batches', 'Batches are not offered. Send each request to POST /v1/chat/completions.'],
  ['audio', `Audio is not offered: answers are text. ${CHAT}`],
  ['videos', `Videos are not offered: answers are text. ${CHAT}`],
  ['rerank', `Reranking is not offered. ${CHAT}`],
  ['moderations', `Moderations are not offered. ${CHAT}`],
  ['realtime', 'Realtime sessions are not offered. Use POST /v1/chat/completions with `stream`.'],
  ['credits', 'Credits are bought in the web app. GET /v1/account tells the balance.'],
])

/** Other names under which the same is looked for. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['keys', 'api_keys'],
  ['fine-tunes', 'fine_tuning'],
  ['balance', 'credits'],
  ['usage', 'credits'],
  ['billing', 'credits'],
  // The balance of OpenAI's own web app, for which many clients still ask.
  ['dashboard', 'credits'],
])

/** Why there is no such path and what to use instead, where we know what it is meant to be. */
export function whyNotOffered(path: string): string | undefined {
  const [, root, name = ''] = path.split('/')
  const why = root === 'v1' ? NOT_OFFERED.get(ALIASES.get(name) ?? name) : undefined
  return why ?? wrongBase(path)
}

const ENDPOINT = /\/(chat\/completions|models|jobs|account|webhooks)\/*$/

/** A client whose base address lacks `/v1`, has it twice, or ends in a slash or an endpoint. */
function wrongBase(path: string): string | undefined {
  const [, endpoint] = ENDPOINT.exec(path) ?? []
  return endpoint === undefined
    ? undefined
    : `The endpoint is /v1/${endpoint}: the base address that a client is given ends in \`/v1\`, and the client adds the rest.`
}

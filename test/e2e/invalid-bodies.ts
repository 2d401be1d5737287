/** A chat request that would be served. */
export const VALID = {
  model: 'Qwen/Qwen3-8B',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 5,
} as const

export interface InvalidBody {
  readonly what: string
  readonly body: object
  /** What the refusal must name. */
  readonly param: string
}

const without = (field: keyof typeof VALID): object => {
  const { [field]: _, ...rest } = VALID
  return rest
}
const withField = (param: string, value: unknown, what = `${param} ${JSON.stringify(value)}`) => ({
  what,
  body: { ...VALID, [param]: value },
  param,
})
const withMessage = (what: string, message: unknown, param: string) => ({
  what,
  body: { ...VALID, messages: [message] },
  param,
})
const user = (content: unknown) => ({ role: 'user', content })
const tool = { type: 'function', function: { name: 'look', parameters: {} } }

/** One thing wrong in each. */
export const INVALID_BODIES: readonly InvalidBody[] = [
  { what: 'no model', body: without('model'), param: 'model' },
  withField('model', 8),
  withField('model', ''),
  withField('model', null),
  withField('model', ['Qwen/Qwen3-8B']),

  { what: 'no messages', body: without('messages'), param: 'messages' },
  withField('messages', 'Hello'),
  withField('messages', {}),
  withField('messages', []),
  withMessage('a message of text', 'Hello', 'messages[0]'),
  withMessage('a message of null', null, 'messages[0]'),
  withMessage('no role', { content: 'Hello' }, 'messages[0].role'),
  withMessage('a role of 1', { role: 1, content: 'Hello' }, 'messages[0].role'),
  withMessage('an unknown role', { role: 'robot', content: 'Hello' }, 'messages[0].role'),
  withMessage(
    'the role tool',
    { role: 'tool', content: '1', tool_call_id: 'a' },
    'messages[0].role',
  ),
  withMessage('the role function', { role: 'function', content: '1' }, 'messages[0].role'),
  withMessage('no content', { role: 'user' }, 'messages[0].content'),
  withMessage('content of null', user(null), 'messages[0].content'),
  withMessage('content of 1', user(1), 'messages[0].content'),
  withMessage('content of an object', user({ type: 'text', text: 'a' }), 'messages[0].content'),
  withMessage('a part of text', user(['Hello']), 'messages[0].content[0]'),
  withMessage('a part without text', user([{ type: 'text' }]), 'messages[0].content[0].text'),
  withMessage(
    'an image',
    user([
      { type: 'text', text: 'See:' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ]),
    'messages[0].content[1]',
  ),
  withMessage(
    'a sound',
    user([{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }]),
    'messages[0].content[0]',
  ),
  withMessage(
    'a tool call',
    { role: 'assistant', content: '', tool_calls: [{ id: 'a', ...tool }] },
    'messages[0].tool_calls',
  ),
  withMessage(
    'a tool call of old',
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
    'messages[0].function_call',
  ),
  {
    what: 'the third message',
    body: { ...VALID, messages: [...VALID.messages, ...VALID.messages, { role: 'user' }] },
    param: 'messages[2].content',
  },

  withField('stream', 'true'),
  withField('stream', 1),
  withField('stream_options', true),
  {
    what: 'include_usage "yes"',
    body: { ...VALID, stream: true, stream_options: { include_usage: 'yes' } },
    param: 'stream_options.include_usage',
  },
  withField('max_tokens', 0),
  withField('max_tokens', -1),
  withField('max_tokens', 1.5),
  withField('max_tokens', '10'),
  withField('max_completion_tokens', 0),
  withField('max_completion_tokens', 6, 'two caps that differ'),
  withField('temperature', 2.01),
  withField('temperature', -0.01),
  withField('temperature', '1'),
  withField('top_p', 1.01),
  withField('top_p', -0.1),
  withField('frequency_penalty', 2.5),
  withField('frequency_penalty', false),
  withField('presence_penalty', -2.5),
  withField('seed', 1.5),
  withField('seed', 'abc'),
  withField('seed', 1e300),
  withField('stop', 5),
  withField('stop', ''),
  withField('stop', ['a', 1]),
  withField('stop', ['a', 'b', 'c', 'd', 'e'], 'five stop sequences'),

  withField('n', 2),
  withField('n', '1'),
  withField('logprobs', true),
  withField('top_logprobs', 3),
  withField('tools', [tool], 'tools'),
  withField('tool_choice', 'auto'),
  withField('tool_choice', 'required'),
  withField('functions', [{ name: 'look' }], 'functions'),
  withField('function_call', 'auto'),
  withField('response_format', { type: 'json_object' }),
  withField('response_format', { type: 'json_schema', json_schema: {} }),
  withField('response_format', 'text'),
  withField('modalities', ['text', 'audio']),
  withField('audio', { voice: 'any', format: 'wav' }),
]

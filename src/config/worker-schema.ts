import { z } from 'zod'
import { address, flag, privateKey, wholeNumber } from './read.ts'
import { shared } from './shared-settings.ts'
import { tracing } from './tracing-settings.ts'

/** Every setting of the agent, with its default. It runs at operators, who hold none of the others. */
export const workerSchema = z.object({
  LOG_LEVEL: shared.LOG_LEVEL,
  MONITOR_HOST: shared.MONITOR_HOST,
  MONITOR_PORT: shared.MONITOR_PORT,
  ...tracing,
  POOL_URL: z
    .string()
    .default('127.0.0.1:50051')
    .describe(
      'any pool: host:port or http:// without TLS, https:// or grpcs:// with it. Several, separated ' +
        'by commas, or a name that leads to several: when one is lost, the next is dialled at once',
    ),
  POOL_CA: z
    .string()
    .default('')
    .describe(
      'PEM file of the authorities that may have signed the certificate of the pool, for one with an ' +
        'authority of its own; those that this machine trusts by default',
    ),
  WORKER_HOME: z
    .string()
    .default('')
    .describe(
      'folder of this agent: its key, and what it must remember; ~/.config/svc-worker by default',
    ),
  WORKER_KEYSTORE: z
    .string()
    .default('')
    .describe('encrypted key file (web3 secret storage); keystore.json in WORKER_HOME by default'),
  WORKER_PASSWORD: z.string().default('').describe('opens the keystore; a file is safer'),
  WORKER_PASSWORD_FILE: z.string().default('').describe('file with the password of the keystore'),
  WORKER_PRIVATE_KEY: privateKey()
    .optional()
    .describe('signs completions, in place of a keystore; for development'),
  WORKER_PAYEE: address().optional().describe('receives earnings; the worker itself by default'),
  WORKER_ENGINE: z
    .enum(['openai', 'llama', 'sample'])
    .default('openai')
    .describe(
      'what generates answers: an OpenAI-compatible server, llama.cpp inside the agent, or sample ' +
        'text to try a network',
    ),
  WORKER_MODELS: z
    .string()
    .default('')
    .describe(
      'model ids to serve, comma-separated, each as id or id=upstream-name (for the llama engine ' +
        'id=/path/model.gguf); empty: all that the engine has. The pool says which of them the catalogue on chain lists: only those get jobs',
    ),
  WORKER_SLOTS: wholeNumber(8, 1).describe('jobs at once'),
  WORKER_REGION: z.string().default('local').describe('free text, like eu-west'),
  UPSTREAM_URL: z
    .string()
    .default('http://127.0.0.1:11434/v1')
    .describe('OpenAI-compatible server, for the openai engine'),
  UPSTREAM_API_KEY: z
    .string()
    // Files and secrets mostly end with a line break that is no part of the key.
    .trim()
    .regex(/^[\x21-\x7e]*$/, 'must be letters, digits and marks without blanks between')
    .default('')
    .describe('bearer token for the upstream'),
  UPSTREAM_CONTEXT: wholeNumber(0).describe(
    'context in tokens that the upstream was started with; 0: as it says itself',
  ),
  UPSTREAM_SILENCE_SECONDS: wholeNumber(30, 1, 600).describe(
    'an upstream that falls silent for so long in the middle of an answer has failed',
  ),
  LLAMA_CONTEXT: wholeNumber(0).describe(
    'for the llama engine: tokens a job may have, prompt and answer together; 0: as many as the ' +
      'model was trained on, fewer where they do not fit in memory WORKER_SLOTS times',
  ),
  LLAMA_GPU_LAYERS: z
    .union([z.literal('auto'), wholeNumber(0)], 'must be auto, or a whole number, 0 or more')
    .default('auto')
    .describe('for the llama engine: layers on the GPU; auto: as many as fit; 0: CPU alone'),
  LLAMA_THREADS: wholeNumber(0, 0, 1_024).describe(
    'for the llama engine: CPU threads; 0: one a core. More than there are idle cores is slower, ' +
      'a thousand times at worst, since they wait for one another at each step',
  ),
  LLAMA_PACKAGE: z
    .string()
    .default('')
    .describe(
      'for the llama engine: folder where node-llama-cpp was installed; beside the agent or in the ' +
        'working directory by default',
    ),
  WORKER_INSECURE: flag().describe(
    'talk to a pool on another machine without TLS: anybody between reads the prompts',
  ),
  WORKER_RPC_URL: z
    .string()
    .default('')
    .describe(
      "JSON-RPC of the settlement chain, to read earnings and stake and to send the worker's own " +
        'transactions; the agent itself works without it',
    ),
  WORKER_ESCROW: address().optional().describe('JobEscrow; as the pool says by default'),
  WORKER_STAKING: address().optional().describe('WorkerStaking; as the pool says by default'),
  WORKER_SAMPLE_TOKENS: wholeNumber(60, 1).describe(
    'about how long an answer of the sample engine is, in tokens',
  ),
  WORKER_SAMPLE_TOKEN_MS: wholeNumber(5).describe(
    'time the sample engine takes a token, in milliseconds; 0: as fast as it can',
  ),
})
export type WorkerConfig = z.infer<typeof workerSchema>

import 'reflect-metadata'
import { container, type DependencyContainer, type InjectionToken } from 'tsyringe'
import { ConfigError } from '../config/read.ts'
import type { WorkerConfig } from '../config/worker-schema.ts'
import { toAddress } from '../domain/ids.ts'
import { LAUNCH_LINEUP } from '../domain/models.ts'
import type { Log } from '../telemetry/log.ts'
import type { Traces } from '../telemetry/traces.ts'
import { Agent } from './agent.ts'
import type { Settings } from './cli/settings.ts'
import { requireTls } from './dial.ts'
import type { Engine } from './engine.ts'
import { openLlamaEngine } from './engines/llama.ts'
import { parseModelFiles } from './engines/llama-files.ts'
import { OpenAiEngine } from './engines/openai.ts'
import { makeSampleEngine } from './engines/sample.ts'
import { parseWantedModels, type WantedModel } from './engines/upstream-models.ts'
import { Identity } from './identity.ts'
import type { WorkerKey } from './key/open-key.ts'
import type { SignedJobs } from './local/signed-jobs.ts'
import { poolTargets } from './pool-ring.ts'
import type { WorkFigures } from './status/work-figures.ts'

const SETTINGS: InjectionToken<Settings> = Symbol('settings')
const LOG: InjectionToken<Log> = Symbol('log')
const SIGNED: InjectionToken<SignedJobs> = Symbol('signed')
const IDENTITY: InjectionToken<Identity> = Symbol('identity')
const ENGINE: InjectionToken<Engine> = Symbol('engine')

export interface WorkerParts {
  readonly settings: Settings
  readonly key: WorkerKey
  readonly signed: SignedJobs
  readonly log: Log
  /** Undefined: nothing is traced. */
  readonly traces?: Traces | undefined
  readonly figures?: WorkFigures | undefined
}

/**
 * Puts an agent together; it is not started yet.
 * @throws {ConfigError}
 */
export async function composeWorker(parts: WorkerParts): Promise<Agent> {
  const { settings, key, signed, log } = parts
  const c = container.createChildContainer()
  c.register(SETTINGS, { useValue: settings })
  c.register(LOG, { useValue: log })
  c.register(SIGNED, { useValue: signed })
  c.register(IDENTITY, { useValue: identityOf(key, settings) })
  c.register(ENGINE, { useValue: await composeEngine(settings, log) })
  return makeAgent(c, parts)
}

function makeAgent(c: DependencyContainer, { traces, figures }: WorkerParts): Agent {
  const settings = c.resolve(SETTINGS)
  const pools = requireTls(settings)
  return new Agent({
    pools: () => poolTargets(pools),
    identity: c.resolve(IDENTITY),
    engine: c.resolve(ENGINE),
    slots: settings.WORKER_SLOTS,
    region: settings.WORKER_REGION,
    signed: c.resolve(SIGNED),
    log: c.resolve(LOG),
    traces,
    figures,
  })
}

/** What generates answers. @throws {ConfigError} */
export async function composeEngine(config: Settings, log: Log): Promise<Engine> {
  if (config.WORKER_ENGINE === 'llama') return makeLlamaEngine(config, log)
  const wanted = usable(() => parseWantedModels(config.WORKER_MODELS))
  switch (config.WORKER_ENGINE) {
    case 'openai':
      return new OpenAiEngine({
        url: config.UPSTREAM_URL,
        apiKey: config.UPSTREAM_API_KEY,
        contextWindow: config.UPSTREAM_CONTEXT,
        silenceMs: config.UPSTREAM_SILENCE_SECONDS * 1_000,
        wanted,
        log,
      })
    case 'sample':
      return makeSampleEngine({
        models: wanted.length > 0 ? wanted.map(sampled) : LAUNCH_LINEUP,
        tokens: config.WORKER_SAMPLE_TOKENS,
        tokenMs: config.WORKER_SAMPLE_TOKEN_MS,
      })
  }
}

const makeLlamaEngine = (config: WorkerConfig, log: Log): Promise<Engine> =>
  openLlamaEngine({
    models: parseModelFiles(config.WORKER_MODELS),
    slots: config.WORKER_SLOTS,
    contextTokens: config.LLAMA_CONTEXT,
    gpuLayers: config.LLAMA_GPU_LAYERS,
    threads: config.LLAMA_THREADS,
    packageFolder: config.LLAMA_PACKAGE,
    log,
  })

/** With the context of the model, where it is known to the agent. */
const sampled = ({ id }: WantedModel) =>
  LAUNCH_LINEUP.find((model) => model.id === id) ?? { id, contextWindow: 0 }

export function identityOf({ bytes }: WorkerKey, { WORKER_PAYEE }: Settings): Identity {
  const payee = WORKER_PAYEE ? toAddress(WORKER_PAYEE) : undefined
  return new Identity(`0x${bytes.toString('hex')}`, payee)
}

/** A setting that does not parse is for the operator to mend, without a stack. */
function usable<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}

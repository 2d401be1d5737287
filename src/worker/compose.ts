import 'reflect-metadata'
import {
  container,
  type DependencyContainer,
  type InjectionToken,
  instanceCachingFactory,
} from 'tsyringe'
import { ConfigError } from '../config/read.ts'
import type { WorkerConfig } from '../config/schema.ts'
import { toAddress } from '../domain/ids.ts'
import { CATALOGUE } from '../domain/models.ts'
import type { Log } from '../telemetry/log.ts'
import { Agent } from './agent.ts'
import { type PoolAddress, parsePoolUrl } from './dial.ts'
import type { Engine } from './engine.ts'
import { OpenAiEngine } from './engines/openai.ts'
import { makeSampleEngine } from './engines/sample.ts'
import { parseWantedModels } from './engines/upstream-models.ts'
import { Identity } from './identity.ts'

const CONFIG: InjectionToken<WorkerConfig> = Symbol('config')
const LOG: InjectionToken<Log> = Symbol('log')
const ENGINE: InjectionToken<Engine> = Symbol('engine')
const IDENTITY: InjectionToken<Identity> = Symbol('identity')
const POOL: InjectionToken<PoolAddress> = Symbol('pool')

/**
 * Starts the agent.
 * @throws {ConfigError}
 */
export async function composeWorker(
  config: WorkerConfig,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const c = container.createChildContainer()
  c.register(CONFIG, { useValue: config })
  c.register(LOG, { useValue: log })
  c.register(ENGINE, { useFactory: instanceCachingFactory(makeEngine) })
  c.register(IDENTITY, { useFactory: instanceCachingFactory(makeIdentity) })
  c.register(POOL, { useFactory: () => usable(() => parsePoolUrl(config.POOL_URL)) })
  const agent = new Agent({
    pool: c.resolve(POOL),
    identity: c.resolve(IDENTITY),
    engine: c.resolve(ENGINE),
    slots: config.WORKER_SLOTS,
    region: config.WORKER_REGION,
    log,
  })
  agent.start()
  return { stop: () => agent.stop() }
}

function makeEngine(c: DependencyContainer): Engine {
  const config = c.resolve(CONFIG)
  const wanted = usable(() => parseWantedModels(config.WORKER_MODELS))
  switch (config.WORKER_ENGINE) {
    case 'openai':
      return new OpenAiEngine({
        url: config.UPSTREAM_URL,
        apiKey: config.UPSTREAM_API_KEY,
        wanted,
        log: c.resolve(LOG),
      })
    case 'sample':
      return makeSampleEngine({
        models: wanted.length > 0 ? wanted.map(({ model }) => model) : CATALOGUE,
        tokens: config.WORKER_SAMPLE_TOKENS,
        tokenMs: config.WORKER_SAMPLE_TOKEN_MS,
      })
  }
}

function makeIdentity(c: DependencyContainer): Identity {
  const { WORKER_PRIVATE_KEY, WORKER_PAYEE } = c.resolve(CONFIG)
  const payee = WORKER_PAYEE ? toAddress(WORKER_PAYEE) : undefined
  return usable(() => new Identity(`0x${WORKER_PRIVATE_KEY.slice(2)}`, payee))
}

/** A setting that does not parse is for the operator to mend, without a stack. */
function usable<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}

import { status } from '@grpc/grpc-js'
import { ConfigError } from '../../config/read.ts'
import { makeLog } from '../../telemetry/log.ts'
import { AcceptedJobs } from '../accepted-jobs.ts'
import { adviceFor } from '../advice.ts'
import type { Settings } from '../cli/settings.ts'
import { composeEngine, identityOf } from '../compose.ts'
import { dial, type PoolTarget, requireTls } from '../dial.ts'
import type { JobRun } from '../job-run.ts'
import { openKey, type WorkerKey } from '../key/open-key.ts'
import { ask } from '../local/control.ts'
import { SignedJobs } from '../local/signed-jobs.ts'
import { poolTargets } from '../pool-ring.ts'
import { Session, type SessionEnd, type SessionOptions } from '../session.ts'

/**
 * Lets the pool register this key on chain, by meeting it once and leaving before a job comes. The
 * pool's network pays the gas.
 */
export async function register(settings: Settings): Promise<string> {
  const key = await openKey(settings, (line) => process.stderr.write(`${line}\n`))
  const number = await numberOfRunning(settings, key)
  if (number !== undefined) return isNumber(key, number)
  const log = makeLog('worker', settings.LOG_LEVEL, process.stderr)
  const engine = await composeEngine(settings, log)
  const models = await engine.models()
  if (models.size === 0) {
    throw new ConfigError(
      'a pool meets only workers with a model, and there is none: start the upstream, or say with ' +
        '--models which of its models are which',
    )
  }
  const identity = identityOf(key, settings)
  const failures: string[] = []
  try {
    for (const pool of await poolTargets(requireTls(settings))) {
      const met = await meet(pool, { settings, identity, engine, models, log })
      if ('number' in met) return isNumber(key, met.number)
      const { code, details } = met.end
      failures.push(`${pool.target}: ${adviceFor(code, details)} (${status[code]}: ${details})`)
    }
  } finally {
    await engine.close()
  }
  throw new ConfigError(`not registered: ${failures.join('; ')}`)
}

const isNumber = ({ address }: WorkerKey, number: number): string =>
  `${address} is worker number ${number}`

/**
 * As the agent of this key was told that runs here: of two with one key a pool keeps the newer, and the jobs of
 * the other are lost.
 * @throws {ConfigError} where one runs, and knows none yet
 */
async function numberOfRunning(
  { WORKER_HOME }: Settings,
  { address }: WorkerKey,
): Promise<number | undefined> {
  const number = (await ask(WORKER_HOME, address, 'status'))?.workerId
  if (number !== null) return number
  throw new ConfigError(
    `an agent of ${address} runs on this machine, and registers its key as soon as a pool welcomes it: svc-worker ` +
      'status says what keeps it from that',
  )
}

interface Self extends Pick<SessionOptions, 'identity' | 'engine' | 'models' | 'log'> {
  readonly settings: Settings
}

/** Meets one pool, and leaves it once it has told our number. */
async function meet(
  pool: PoolTarget,
  { settings, ...self }: Self,
): Promise<{ number: number } | { end: SessionEnd }> {
  const { call, close } = dial(pool)
  let number = 0
  const runs = new Set<JobRun>()
  const signed = new SignedJobs()
  const session: Session = new Session({
    ...self,
    call,
    slots: settings.WORKER_SLOTS,
    region: settings.WORKER_REGION,
    runs,
    jobs: new AcceptedJobs({ ...self, runs, signed, onRan: () => {} }),
    signed,
    paces: new Map(),
    hears: {
      welcomed: ({ workerId }) => {
        number = workerId
        void session.drain(0, 'registered')
      },
      offered: () => {},
      stands: () => {},
      mustMove: () => {},
    },
  })
  const end = await session.ended
  close()
  return number > 0 ? { number } : { end }
}

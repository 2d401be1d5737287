import { status } from '@grpc/grpc-js'
import type { Challenge } from '../../proto/gen/svc/worker/v1/worker.ts'
import { ConfigError } from '../config/read.ts'
import { adviceFor } from './advice.ts'
import type { Settings } from './cli/settings.ts'
import { dial, type PoolTarget, requireTls } from './dial.ts'
import { poolTargets } from './pool-ring.ts'

const CHALLENGE_MS = 10_000

export interface PoolChallenge {
  /** Which of those in `--pool` it is of. */
  readonly pool: string
  readonly challenge: Challenge
}

/**
 * The challenge of the first pool of `--pool` that answers, which tells chain and contracts; then it
 * is left again.
 * @throws {ConfigError} where none can be reached
 */
export async function readChallenge(settings: Settings): Promise<PoolChallenge> {
  const failures: string[] = []
  for (const pool of await poolTargets(requireTls(settings))) {
    const challenge = await challengeOf(pool)
    if (typeof challenge !== 'string') return { pool: pool.target, challenge }
    failures.push(`${pool.target}: ${challenge}`)
  }
  throw new ConfigError(`no pool answers (${failures.join('; ')}): is --pool right?`)
}

/** @returns why there is none, where the pool does not answer */
async function challengeOf(pool: PoolTarget): Promise<Challenge | string> {
  const { call, close } = dial(pool)
  const late = setTimeout(() => call.cancel(), CHALLENGE_MS)
  try {
    return await new Promise<Challenge | string>((resolve) => {
      call.on('data', ({ message }) => {
        if (message?.$case === 'challenge') resolve(message.value)
      })
      call.on('error', () => {})
      call.on('status', ({ code, details }) =>
        resolve(`${adviceFor(code, details)} (${status[code]}: ${details})`),
      )
    })
  } finally {
    clearTimeout(late)
    call.cancel()
    close()
  }
}

import type { StreamConfig } from 'nats'
import { OperatorError } from '../../domain/operator-error.ts'

/**
 * From this version on a stream with replicas compares and sets as one: before, two writers that
 * expected the same last sequence could both be told that they had won.
 */
const SAFE_FROM = { major: 2, minor: 11 }

/** @throws {OperatorError} where `version` of nats-server must not keep this many copies */
export function requireSafe(version: string, replicas: number): void {
  if (replicas <= 1 || isSafe(version)) return
  throw new OperatorError(
    `NATS_REPLICAS is ${replicas}, but this nats-server is ${version}: before ` +
      `${SAFE_FROM.major}.${SAFE_FROM.minor} a write to a stream with replicas can be told that it won ` +
      'when another did, and jobs would be run twice. Update every nats-server of the cluster, or set ' +
      'NATS_REPLICAS=1',
  )
}

export function isSafe(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0)
  return major > SAFE_FROM.major || (major === SAFE_FROM.major && minor >= SAFE_FROM.minor)
}

/**
 * What has to change in a stream that exists, so that it is what this house needs; what else an
 * operator has set stays. `replicas` undefined: whatever it has.
 * @throws {OperatorError} where changing it would lose something
 */
export function changesOf(
  wanted: Partial<StreamConfig>,
  found: StreamConfig,
  replicas: number | undefined,
): Partial<StreamConfig> | undefined {
  const { name } = found
  for (const fixed of ['retention', 'storage'] as const) {
    if (wanted[fixed] === undefined || wanted[fixed] === found[fixed]) continue
    throw new OperatorError(
      `stream ${name} has ${fixed} "${found[fixed]}" and needs "${wanted[fixed]}", which cannot be ` +
        'changed: something else made it. Use another NATS account, or move it away',
    )
  }
  if (replicas !== undefined && found.num_replicas > replicas) {
    throw new OperatorError(
      `stream ${name} is kept by ${found.num_replicas} servers, but NATS_REPLICAS is ${replicas}: set it ` +
        `to ${found.num_replicas} for every role. To keep fewer copies on purpose, first run ` +
        `\`nats stream edit ${name} --replicas ${replicas}\` for each stream`,
    )
  }
  const subjects = (wanted.subjects ?? []).filter((one) => !found.subjects.includes(one))
  const grows = replicas !== undefined && found.num_replicas < replicas
  if (subjects.length === 0 && !grows) return undefined
  return {
    ...(grows && { num_replicas: replicas }),
    ...(subjects.length > 0 && { subjects: [...found.subjects, ...subjects] }),
  }
}

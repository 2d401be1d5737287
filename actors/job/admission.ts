import type { StartJob } from '../../src/messages/job.ts'
import { type Admission, refuse } from '../../src/runtime/kind.ts'
import type { JoinClaims } from './join-claims.ts'
import type { KeyProofs } from './key-proofs.ts'

/** What a job must show before anything of it is written. */
export interface Proofs {
  readonly keyProofs: Pick<KeyProofs, 'holds'>
  readonly joinClaims: Pick<JoinClaims, 'claim'>
}

/** At once, without a promise, for a key that was seen lately and a request that has no key of its own. */
export function admits(proofs: Proofs, command: StartJob): Admission | Promise<Admission> {
  const holds = proofs.keyProofs.holds(command)
  return holds === true && !command.key.join ? true : whetherAdmitted(proofs, command, holds)
}

async function whetherAdmitted(
  { joinClaims }: Proofs,
  command: StartJob,
  holds: boolean | Promise<boolean>,
): Promise<Admission> {
  if (!(await holds)) return refuse('not_admitted')
  const { join } = command.key
  const holder = join && (await joinClaims.claim(command, join))
  return holder ? refuse('key_taken', { holder }) : true
}

import type { ResumedJob } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { HEARTBEAT_MS, RESUME_MS, type Session } from './session.ts'

/**
 * Greets a worker over a stream that has just begun.
 * @param resumed jobs of an earlier stream that go on
 */
export function sayWelcome(session: Session, poolId: string, resumed: ResumedJob[] = []): void {
  const { workerId, resumes } = session.profile
  session.send({
    $case: 'welcome',
    value: {
      workerId,
      sessionToken: session.tokens.renew(),
      heartbeatIntervalMs: HEARTBEAT_MS,
      pool: poolId,
      resumed,
      resumeMs: resumes ? RESUME_MS : 0,
      batches: true,
    },
  })
  session.beat()
}

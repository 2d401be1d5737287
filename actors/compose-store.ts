import type { DependencyContainer } from 'tsyringe'
import { TOKENS } from '../src/ports/tokens.ts'
import type { ActorRecord } from '../src/runtime/actor.ts'
import type { ResourceKind } from '../src/runtime/ownership.ts'
import { single } from './compose-single.ts'
import type { JobEvent } from './job/events.ts'
import type { Job } from './job/state.ts'
import { viewIfAny } from './job/view.ts'
import { makeJobViewRebuilder } from './job-views/rebuilder.ts'
import { makeEraser } from './outputs/eraser.ts'

/** What looks after Redis: that the views are whole, and that nothing stays on its disk for too long. */
export function storeKeeper(
  c: DependencyContainer,
  viewedUpTo: () => Promise<number>,
): ResourceKind {
  const clock = c.resolve(TOKENS.clock)
  const log = c.resolve(TOKENS.log)
  return single('job-views', 'job-views', () => {
    const eraser = makeEraser({ file: c.resolve(TOKENS.storeFile), clock, log })
    const rebuilder = makeJobViewRebuilder({
      views: c.resolve(TOKENS.jobViews),
      archive: c.resolve(TOKENS.jobArchive),
      journal: c.resolve(TOKENS.jobReader),
      viewOf: ({ body }) => viewIfAny((body as ActorRecord<Job, JobEvent>).state),
      viewedUpTo,
      onLoss: eraser.eraseNow,
      clock,
      log,
    })
    return {
      start: async () => {
        eraser.start()
        await rebuilder.start()
      },
      stop: async () => {
        await Promise.all([eraser.stop(), rebuilder.stop()])
      },
    }
  })
}

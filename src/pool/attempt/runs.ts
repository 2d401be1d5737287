import type { Session } from '../session/session.ts'
import type { Release, Run } from './run.ts'

/** The workers that are on one attempt now: mostly one, at most two. */
export class Runs {
  private readonly open = new Map<Session, Run>()

  get size(): number {
    return this.open.size
  }
  get running(): Run | undefined {
    return this.all().find(({ isRunning }) => isRunning)
  }

  /** The one that keeps the caller waiting, where it is the only one. */
  get onlySlow(): Run | undefined {
    const [run] = this.open.values()
    return this.open.size === 1 && (run?.isOverdue || run?.isCutOff) ? run : undefined
  }

  all = (): readonly Run[] => [...this.open.values()]
  of = (session: Session): Run | undefined => this.open.get(session)

  add(run: Run): void {
    this.open.set(run.session, run)
  }

  close(run: Run, release: Release): void {
    this.open.delete(run.session)
    run.end(release)
  }

  cancelAll(): void {
    for (const run of this.all()) this.close(run, { cancel: true })
  }

  /** At the deadline: who had the time and let it pass has failed, who was on its way has not. */
  failOverdue(): void {
    const why = 'it sent nothing before the deadline'
    for (const run of this.all()) {
      if (run.isOverdue) this.close(run, { outcome: 'failed', why, cancel: true })
    }
  }

  /** `run` goes on alone. */
  outrunOthers(run: Run): void {
    for (const other of this.all()) {
      if (other === run) continue
      this.open.delete(other.session)
      other.outrun()
    }
  }
}

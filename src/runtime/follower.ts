/** Keeps a copy of each actor's newest state elsewhere, outside of any command's way. */
export interface Follower<State> {
  /**
   * The journal holds this state of actor `id` at `sequence`. Told of each append at once, and of
   * what is found when a partition is taken over: perhaps repeatedly, perhaps an older state late.
   * @param how `read`: found, and written some time ago; otherwise it has just been appended
   */
  changed(id: string, sequence: number, state: State, how?: 'read'): void
  /**
   * The oldest sequence told of whose copy is not written yet; infinite when all are. A new owner
   * is made to read from there, so that what a dead host had not copied is told of again.
   */
  readonly oldestPending: number
}

/** So many answers are read as they come. */
const FREE_ANSWERS = 64
/** Each one beyond that lets all of them rest so much longer between two reads. */
const REST_MS_PER_ANSWER = 0.1
/** Ten times a second still reads as one flow. Only who has more than a thousand open at once comes so far. */
const REST_MAX_MS = 100

/**
 * When answers that are open at the same time are read on. What a read costs hangs little on how much it
 * brings, so where there are many, each is read less often, and all of them at once: what they bring leaves
 * together, too. Where there are few, each is read as it comes.
 */
export class Beat {
  private open = 0
  private next: Promise<void> | undefined

  enter(): void {
    this.open++
  }

  leave(): void {
    this.open--
  }

  /** @returns what to wait for before the next read; undefined: nothing */
  rest(): Promise<void> | undefined {
    const restMs = Math.min(REST_MAX_MS, (this.open - FREE_ANSWERS) * REST_MS_PER_ANSWER)
    if (restMs <= 0) return undefined
    this.next ??= new Promise((resolve) => {
      setTimeout(() => {
        this.next = undefined
        resolve()
      }, restMs)
    })
    return this.next
  }
}

import type { Session } from './session.ts'

/** This agent's time at one pool, over however many streams. */
export class Stay {
  /** The stream of now. */
  session: Session | undefined
  /** Resolves when the pool asks us to find another. */
  readonly toldToMove: Promise<'move'>
  #move: (what: 'move') => void = () => {}
  #moving = false

  constructor() {
    this.toldToMove = new Promise((resolve) => {
      this.#move = resolve
    })
  }

  get moving(): boolean {
    return this.#moving
  }

  mustMove(): void {
    this.#moving = true
    this.#move('move')
  }
}

/** What a server holds, in bytes, and how much it takes before it refuses every write. */
export interface ServerRoom {
  readonly used: number
  /** Undefined: it has no limit of its own. */
  readonly max: number | undefined
}

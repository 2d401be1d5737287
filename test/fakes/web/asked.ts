/** One request to /api, and what is said to it. */

export interface Asked {
  readonly method: string
  /** Behind /api, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly signedIn: boolean
}
export interface Said {
  readonly status?: number
  readonly body: unknown
  readonly signIn?: boolean
  readonly signOut?: boolean
}

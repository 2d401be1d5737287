import type { UnixMs } from '../domain/time.ts'

/** When API keys were last used, to the minute. A store that forgets says that they never were. */
export interface KeyUses {
  /** @param hash of the key */
  note(hash: string, at: UnixMs): Promise<void>
  lastUse(hash: string): Promise<UnixMs | null>
}

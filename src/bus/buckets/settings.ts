import type { Address } from '../../domain/ids.ts'
import { keepNewest } from '../../domain/newest.ts'
import { DEFAULT_SETTINGS, parseSettings, type WalletSettings } from '../../messages/settings.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Registry } from '../../ports/registry.ts'
import type { Settings } from '../../ports/settings.ts'
import type { Log } from '../../telemetry/log.ts'

interface Options {
  /** Bucket SETTINGS. */
  readonly registry: Registry
  readonly clock: Clock
  readonly log: Log
}

interface Cached {
  readonly settings: WalletSettings
  readonly readAt: number
}

const ENTRIES_MAX = 10_000
/** So long a changed setting takes to be heeded; a busy wallet costs one read in that time. */
const ENTRY_AGE_MS = 5_000

export function makeSettings({ registry, clock, log }: Options): Settings {
  const cache = new Map<Address, Cached>()

  const read = async (wallet: Address): Promise<WalletSettings> => {
    const entry = await registry.get(wallet)
    if (!entry) return DEFAULT_SETTINGS
    const parsed = parseSettings(entry.value)
    if (parsed.ok) return parsed.value
    log.error({ wallet, reason: parsed.error }, 'settings: unusable, the defaults are taken')
    return DEFAULT_SETTINGS
  }

  return {
    of: async (wallet) => {
      const now = clock.monotonic()
      const cached = cache.get(wallet)
      if (cached && now - cached.readAt < ENTRY_AGE_MS) return cached.settings
      const settings = await read(wallet)
      keepNewest(cache, wallet, { settings, readAt: now }, ENTRIES_MAX)
      return settings
    },
  }
}

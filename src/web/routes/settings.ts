import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import type { Address } from '../../domain/ids.ts'
import { DEFAULT_SETTINGS, parseSettings, type WalletSettings } from '../../messages/settings.ts'
import type { Registry } from '../../ports/registry.ts'
import type { WebSettings } from '../api.ts'
import { sessionOf } from '../sessions/signed-in.ts'

const settingsBody = Type.Object({ low_threshold: Type.Number() })

/** Of two who write at the same time both are heard, one after the other. */
const TRIES = 5

/** @param registry bucket SETTINGS */
export function settings(server: FastifyInstance, { registry }: { registry: Registry }): void {
  server.get('/api/settings', async (request): Promise<WebSettings> => {
    const entry = await registry.get(sessionOf(request).wallet)
    // What cannot be read counts as the default everywhere else, too.
    const parsed = parseSettings(entry?.value ?? {})
    return publicSettings(parsed.ok ? parsed.value : DEFAULT_SETTINGS)
  })

  server.put<{ Body: Static<typeof settingsBody> }>(
    '/api/settings',
    { schema: { body: settingsBody } },
    async (request): Promise<WebSettings> => {
      const { low_threshold } = request.body
      const parsed = parseSettings({ low_threshold })
      if (!parsed.ok) {
        throw refuse('invalid_request', `${parsed.error}.`, { param: 'low_threshold' })
      }
      await write(registry, sessionOf(request).wallet, { low_threshold })
      return publicSettings(parsed.value)
    },
  )
}

const publicSettings = ({ lowThreshold }: WalletSettings): WebSettings => ({
  low_threshold: Number(lowThreshold),
})

/** Leaves alone what is not changed, also what only a later version knows. */
async function write(registry: Registry, wallet: Address, changed: WebSettings): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const entry = await registry.get(wallet)
    const value = { ...(entry?.value as object | undefined), ...changed }
    if ((await registry.put(wallet, value, entry?.revision ?? 0)) !== 'conflict') return
  }
  throw refuse('service_unavailable', 'The settings are being changed elsewhere; try again.')
}

import type { FastifyInstance } from 'fastify'
import type { WebConfig } from '../api.ts'

/** What the app must know before anybody has signed in. */
export function config(server: FastifyInstance, { config }: { config: WebConfig }): void {
  server.get('/api/config', async (): Promise<WebConfig> => config)
}

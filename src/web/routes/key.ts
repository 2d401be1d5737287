import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import { isoTimestamp } from '../../domain/time.ts'
import type { CreatedKey, WebKey } from '../api.ts'
import { refuseWeb } from '../http/errors.ts'
import type { ActiveKey, Keyring } from '../keys/keyring.ts'
import { sessionOf } from '../sessions/signed-in.ts'

const meant = Type.Object({
  /** Of the key that is shown: a page may not have heard that another one took its place. */
  hint: Type.Optional(Type.String()),
})

export function key(server: FastifyInstance, { keyring }: { keyring: Keyring }): void {
  server.get('/api/key', async (request, reply) => {
    const active = await keyring.active(sessionOf(request).wallet)
    return reply.type('application/json').send(JSON.stringify(active && publicKey(active)))
  })

  server.post('/api/key', async (request, reply): Promise<CreatedKey> => {
    const created = await keyring.create(sessionOf(request).wallet)
    if (!created.ok) {
      throw refuseWeb(
        'key_exists',
        'Your wallet has an API key already, and may have one. Revoke it first: its requests stop at once.',
      )
    }
    reply.code(201)
    return { ...publicKey(created.value), key: created.value.key }
  })

  server.delete<{ Querystring: Static<typeof meant> }>(
    '/api/key',
    { schema: { querystring: meant } },
    async (request, reply) => {
      const revoked = await keyring.revoke(sessionOf(request).wallet, request.query.hint)
      if (revoked.ok) return reply.code(204).send()
      if (revoked.error === 'key_suspended') {
        throw refuse('key_suspended', 'Your API key is suspended and stays so. Contact support.')
      }
      throw refuseWeb(
        'key_changed',
        'Your wallet has another API key by now, and that one was not revoked.',
      )
    },
  )
}

const publicKey = ({ hint, createdAt, lastUsedAt, status }: ActiveKey): WebKey => ({
  hint,
  created_at: isoTimestamp(createdAt),
  last_used_at: lastUsedAt === null ? null : isoTimestamp(lastUsedAt),
  status,
})

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { isoTimestamp } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Hex } from '../../ports/escrow.ts'
import type { SignIn } from '../../ports/web-chain.ts'
import type { SessionNonce, WebSession } from '../api.ts'
import { refuseWeb } from '../http/errors.ts'
import type { Nonces } from '../sessions/nonces.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import { clearSessionCookie, sessionOf, setSessionCookie, tokenOf } from '../sessions/signed-in.ts'

interface Options {
  readonly sessions: Sessions
  readonly nonces: Nonces
  readonly signIn: SignIn
  readonly clock: Clock
  /** Of the web app. */
  readonly origin: string
}

const signInBody = Type.Object({
  message: Type.String({ maxLength: 4_000 }),
  signature: Type.String({ pattern: '^0x[0-9a-fA-F]+$', maxLength: 20_000 }),
})

/** Outside the scope of sessions: this is how one gets in. */
export function signingIn(server: FastifyInstance, options: Options): void {
  const { sessions, nonces, signIn, clock, origin } = options
  server.post('/api/session/nonce', async (): Promise<SessionNonce> => {
    return { nonce: await nonces.issue() }
  })

  server.post<{ Body: Static<typeof signInBody> }>(
    '/api/session',
    { schema: { body: signInBody } },
    async (request, reply): Promise<WebSession> => {
      const { message } = request.body
      const signature = request.body.signature as Hex
      const verified = await signIn.verify({ message, signature }, { origin, at: clock.now() })
      if (!verified.ok) throw refuseWeb('sign_in_failed', verified.error)
      const { wallet, nonce } = verified.value
      // Last of all, so that no failure uses it up, and so that two who send the same get in once.
      if (!(await nonces.use(nonce))) throw usedNonce()
      // Whoever was signed in here before is so no longer.
      await sessions.end(tokenOf(request))
      const { token, session } = await sessions.begin(wallet)
      setSessionCookie(reply, token, session, origin)
      return publicSession(session)
    },
  )

  // Repeated, or after the session's end: the cookie goes all the same.
  server.delete('/api/session', async (request, reply) => {
    await sessions.end(tokenOf(request))
    clearSessionCookie(reply, origin)
    return reply.code(204).send()
  })
}

export function session(server: FastifyInstance): void {
  server.get('/api/session', async (request) => publicSession(sessionOf(request)))
}

const usedNonce = () =>
  refuseWeb(
    'sign_in_failed',
    'This sign-in message was used already, or is older than five minutes; start again.',
  )

const publicSession = ({ wallet, expiresAt }: Session): WebSession => ({
  wallet,
  expires_at: isoTimestamp(expiresAt),
})

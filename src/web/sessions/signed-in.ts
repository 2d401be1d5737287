import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import { assert } from '../../domain/result.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import { WALLET_HEADER } from '../api.ts'
import { refuseWeb } from '../http/errors.ts'
import type { Session, Sessions } from './sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | null
  }
}

const COOKIE = 'svc_session'

export const tokenOf = ({ cookies }: FastifyRequest): string => cookies[COOKIE] ?? ''

interface Options {
  readonly sessions: Sessions
  readonly clock: Clock
  readonly log: Log
}

/** Every route of this scope needs a session, checked before the body is read. */
export function requireSession(server: FastifyInstance, { sessions, clock, log }: Options): void {
  const seldom = new Seldom(clock, log)
  server.decorateRequest('session', null)
  server.addHook('onRequest', async (request) => {
    const session = await sessions.read(tokenOf(request)).catch((error: unknown) => {
      seldom.warn({ err: error }, 'sessions: cannot be read')
      throw refuse('service_unavailable', 'Sign-ins cannot be checked at the moment; try again.')
    })
    if (!session) {
      throw refuseWeb('session_required', 'You are not signed in, or no longer; sign in again.')
    }
    // A page that has not heard of another tab's sign-in would show one wallet and act for another.
    const shown = request.headers[WALLET_HEADER]
    if (shown !== undefined && shown !== session.wallet) {
      throw refuseWeb(
        'other_wallet',
        'Another wallet has signed in in this browser meanwhile; reload the page.',
      )
    }
    request.session = session
  })
}

export function sessionOf({ session }: FastifyRequest): Session {
  assert(session, 'a route that needs a session stands outside the scope that has one')
  return session
}

/** Read by no script, sent by no other site, and only over https where the app has it. */
export function setSessionCookie(
  reply: FastifyReply,
  token: string,
  { expiresAt }: Session,
  origin: string,
): void {
  reply.setCookie(COOKIE, token, { ...attributes(origin), expires: new Date(expiresAt) })
}

export function clearSessionCookie(reply: FastifyReply, origin: string): void {
  reply.clearCookie(COOKIE, attributes(origin))
}

const attributes = (origin: string) =>
  ({
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: origin.startsWith('https:'),
  }) as const

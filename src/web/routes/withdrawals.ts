import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import { addressFault } from '../../domain/address-fault.ts'
import { toCredits } from '../../domain/credits.ts'
import { toAddress } from '../../domain/ids.ts'
import { unreachable } from '../../domain/result.ts'
import type {
  WithdrawalRefusal,
  WithdrawCredits,
  WithdrawCreditsReply,
} from '../../messages/account.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Log } from '../../telemetry/log.ts'
import type { WebVoucher } from '../api.ts'
import { refuseWeb } from '../http/errors.ts'
import { sessionOf } from '../sessions/signed-in.ts'

interface Options {
  readonly bus: Bus
  readonly log: Log
}

const ANSWER_MS = 8_000

const withdrawalBody = Type.Object({
  credits: Type.Integer({ minimum: 1, maximum: 2 ** 48 - 1 }),
  to: Type.String(),
  request_id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
})

/** The operator's consent to a withdrawal at once; the wallet sends it to the contract itself. */
export function withdrawals(server: FastifyInstance, { bus, log }: Options): void {
  server.post<{ Body: Static<typeof withdrawalBody> }>(
    '/api/withdrawals',
    { schema: { body: withdrawalBody } },
    async (request): Promise<WebVoucher> => {
      const { credits, to, request_id } = request.body
      const fault = addressFault(to)
      if (fault) throw refuse('invalid_request', `\`to\` ${fault}.`, { param: 'to' })
      const ask: WithdrawCredits = {
        wallet: sessionOf(request).wallet,
        to: toAddress(to),
        credits: toCredits(credits),
        requestId: request_id,
      }
      const reply = await bus
        .request<WithdrawCreditsReply>(SUBJECTS.accountWithdraw, ask, ANSWER_MS)
        .catch((error: unknown): WithdrawCreditsReply => {
          return { type: 'unavailable', reason: String(error) }
        })
      if (reply.type === 'refused') throw refusalOf(reply.refusal)
      if (reply.type === 'unavailable' && reply.lastUnconfirmed) {
        throw refuse(
          'service_unavailable',
          'Your last withdrawal was paid, and is not confirmed yet. The next one at once is possible as soon as ' +
            'it is. The withdrawal with a waiting time needs nothing of us.',
        )
      }
      if (reply.type === 'unavailable') {
        log.warn({ wallet: ask.wallet, reason: reply.reason }, 'withdrawal: no voucher')
        throw refuse(
          'service_unavailable',
          'A withdrawal at once is not possible at the moment; try again. The withdrawal with a ' +
            'waiting time needs nothing of us and always works.',
        )
      }
      const { voucher } = reply
      return {
        credits: Number(voucher.credits),
        to: voucher.to,
        deadline: Number(voucher.deadline),
        signature: voucher.signature,
      }
    },
  )
}

function refusalOf({ code, message, remaining, endsAt }: WithdrawalRefusal) {
  switch (code) {
    case 'invalid_request':
      return refuse(code, message)
    case 'insufficient_credits': {
      const details = { credits_remaining: Number(remaining ?? 0) }
      return refuse(code, message, { details })
    }
    case 'voucher_open':
      return refuseWeb(code, message, { details: { ends_at: Number(endsAt ?? 0) } })
    case 'request_id_taken':
    case 'not_offered':
      return refuseWeb(code, message)
    default:
      return unreachable(code)
  }
}

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import { toCredits } from '../../domain/credits.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Hex } from '../../ports/escrow.ts'
import type { DepositRelay, SignedDeposit } from '../../ports/web-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import type { RelayedDeposit } from '../api.ts'
import { refuseWeb } from '../http/errors.ts'
import { sessionOf } from '../sessions/signed-in.ts'

interface Options {
  readonly relay: DepositRelay | undefined
  readonly log: Log
}

const unixTime = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const depositBody = Type.Object({
  // More than all the money there is.
  credits: Type.Integer({ minimum: LIMITS.purchaseCreditsMin, maximum: 2 ** 47 }),
  valid_after: unixTime(),
  valid_before: unixTime(),
  salt: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
  signature: Type.String({ pattern: '^0x[0-9a-fA-F]{128,130}$' }),
})

/** Hands in a purchase that the wallet has only signed. The same one again: the same answer. */
export function deposits(server: FastifyInstance, { relay, log }: Options): void {
  server.post<{ Body: Static<typeof depositBody> }>(
    '/api/deposits',
    { schema: { body: depositBody } },
    async (request): Promise<RelayedDeposit> => {
      if (!relay) throw notOffered()
      const { wallet } = sessionOf(request)
      const { credits, valid_after, valid_before, salt, signature } = request.body
      const deposit: SignedDeposit = {
        wallet,
        credits: toCredits(credits),
        validAfter: BigInt(valid_after),
        validBefore: BigInt(valid_before),
        salt: salt as Hex,
        signature: signature as Hex,
      }
      const outcome = await relay.submit(deposit)
      if (outcome.type === 'sent') return { tx: outcome.tx }
      if (outcome.type === 'refused') throw refused(outcome.reason)
      // No refusal: the app would forget what was signed, and have the next try pay once more.
      if (outcome.type === 'under_way') throw underWay()
      log.warn({ wallet, reason: outcome.reason }, 'deposits: not relayed')
      throw refuse(
        'service_unavailable',
        'We cannot send the purchase for you at the moment. Nothing was paid. Try again, or have ' +
          'your wallet send it.',
      )
    },
  )
}

const notOffered = () =>
  refuseWeb('not_offered', 'Purchases are not sent for you here: have your wallet send it.')

const underWay = () =>
  refuse(
    'service_unavailable',
    'Your purchase is on its way to the chain already, and in no block yet. Try again in a moment to ' +
      'see it there: it is paid once.',
  )

const BAD_SIGNATURE = 'The signature is not of your wallet, or for another purchase.'
const NOT_NOW = 'The time in which the signature is good is not now.'
const TOO_FEW_TOKENS = 'Your wallet holds less USDG than this purchase costs.'

/** By the names of the contracts' errors; USDG has its own for what others call by the standard's. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['ERC3009InvalidSignature', BAD_SIGNATURE],
  ['InvalidSignature', BAD_SIGNATURE],
  ['ERC3009InvalidAuthorizationTime', NOT_NOW],
  ['AuthorizationInvalid', NOT_NOW],
  ['AuthorizationExpired', NOT_NOW],
  ['ERC20InsufficientBalance', TOO_FEW_TOKENS],
  ['InsufficientFunds', TOO_FEW_TOKENS],
  ['EnforcedPause', 'Purchases are paused at the moment.'],
  ['ContractPaused', 'The issuer of USDG has paused it: try again later.'],
  ['AddressFrozen', 'The issuer of USDG has frozen your wallet, or our contract.'],
  ['AccountFull', 'Your account cannot hold so many credits.'],
])

const refused = (reason: string) => {
  // It may well have been paid with, too long ago for the relay to find.
  if (reason === 'ERC3009UsedAuthorization') {
    return refuseWeb(
      'deposit_refused',
      'This signature was used already, or cancelled. Look at your history before you buy again.',
    )
  }
  return refuseWeb(
    'deposit_refused',
    `${REFUSALS.get(reason) ?? `The contract would refuse this purchase (${reason}).`} ` +
      'Nothing was paid.',
  )
}

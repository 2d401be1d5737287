import { status } from '@grpc/grpc-js'
import { type LeftOutModel, LeftOutModel_Reason } from '../../proto/gen/svc/worker/v1/worker.ts'

/** Why a model gets no jobs. */
export const LEFT_OUT: Readonly<Record<LeftOutModel_Reason, string>> = {
  [LeftOutModel_Reason.REASON_UNSPECIFIED]: 'the pool does not say why',
  [LeftOutModel_Reason.REASON_NOT_LISTED]:
    'the catalogue does not list it under this id; it gets jobs as soon as a vote lists it, or name the id with --models as id=upstream-name',
  [LeftOutModel_Reason.REASON_RETIRED]: 'a vote has retired it',
  [LeftOutModel_Reason.REASON_NOT_SERVED]: 'this agent has refused a job of it',
  [LeftOutModel_Reason.UNRECOGNIZED]: 'for a reason that this agent does not know: update it',
}

/** Off the wire a reason that came later is its bare number, of which nothing here knows. */
export const readLeftOut = (leftOut: readonly LeftOutModel[]): LeftOutModel[] =>
  leftOut.map((model) =>
    model.reason in LEFT_OUT ? model : { ...model, reason: LeftOutModel_Reason.UNRECOGNIZED },
  )

/** The pool speaks no version of the protocol that this agent does. */
export const OTHER_VERSION =
  'version: the pool and this agent speak no version of the protocol in common: update the older one'

/**
 * What an operator can do about the status a session ended with.
 * @param details the words that came with it
 */
export function adviceFor(code: status, details: string): string {
  switch (code) {
    case status.UNAVAILABLE:
      return CONNECTIONS.find(({ failed }) => failed.test(details))?.advice ?? DIAL_AGAIN
    case status.UNAUTHENTICATED:
      return 'the pool does not accept the key: check the keystore and --pool'
    case status.INVALID_ARGUMENT:
      return 'the pool does not accept what is offered: read the details, check --models and --slots'
    case status.FAILED_PRECONDITION:
      return 'the pool cannot take this agent as it is: read the details, or update the agent'
    case status.RESOURCE_EXHAUSTED:
      return 'the pool is full: name another one with --pool'
    case status.ABORTED:
      return 'another agent uses this key: run one agent a key'
    default:
      return DIAL_AGAIN
  }
}

const DIAL_AGAIN = 'will dial again: where this lasts, check --pool and the network'

/** Connections that failed before a word was said, as Node and OpenSSL put it. */
const CONNECTIONS: readonly { readonly failed: RegExp; readonly advice: string }[] = [
  {
    failed: /ALTNAME_INVALID/,
    advice:
      "the pool's certificate is for another name: give --pool the name that the certificate has",
  },
  {
    failed: /unable to verify|unable to get (?:local )?issuer|self.signed certificate/,
    advice:
      "this machine does not trust whoever signed the pool's certificate: for a pool with an " +
      'authority of its own, name the certificate of that authority with --pool-ca (a --pool-ca that is ' +
      'given is of another one)',
  },
  {
    failed: /certificate has expired/,
    advice:
      "the pool's certificate has expired: its operator must renew it. If it is good elsewhere, " +
      "set this machine's clock",
  },
  {
    failed: /certificate is not yet valid/,
    advice: "the pool's certificate is not good yet: set this machine's clock",
  },
  {
    failed: /wrong version number|SSL routines/,
    advice:
      'the pool does not speak TLS at this address: check the port, or use http:// where you ' +
      'trust the network between',
  },
  {
    failed: /Failed to connect/,
    advice:
      'the pool closed the connection before a word: if it speaks TLS, give --pool its https:// address',
  },
]

import { BY_SELECTOR, CONTRACT_REFUSALS } from './contract-refusals.ts'
import { ApiFailure, NoCookie, Unreachable } from './failure.ts'

/** What went wrong, and what to do about it, for the person at the screen. */
export interface Explained {
  readonly what: string
  readonly todo: string
  /** To quote when asking for help. */
  readonly requestId?: string | null
}

/** As wallets say no: by EIP-1193, by WalletConnect, and by a library that some are made with. */
const REJECTIONS: readonly unknown[] = [4001, 5000, 'ACTION_REJECTED']
const REJECTED = /\buser (?:denied|rejected|cancell?ed)\b/i
/**
 * The library's own words for a wallet that learned of a chain and stayed where it was. EIP-3085 leaves
 * it free to: nobody declined anything.
 */
const ONLY_ADDED = /\brejected switch after adding network\b/i

/**
 * Nothing is lost by saying no: shown calmly. The innermost code is the wallet's own: what wraps it may take
 * any refusal for somebody's.
 */
export const isRejection = (error: unknown): boolean => {
  const causes = chainOf(error)
  const code = causes.findLast((each) => isCode(each.code))?.code
  const said = causes.at(-1)?.message ?? ''
  return (REJECTIONS.includes(code) || REJECTED.test(said)) && !ONLY_ADDED.test(said)
}

/** It is asked something already, and takes no second question meanwhile. */
export const isPending = (error: unknown): boolean =>
  chainOf(error).some(({ code, name }) => code === -32002 || name === 'ResourceUnavailableRpcError')

const isCode = (code: unknown): boolean => typeof code === 'number' || typeof code === 'string'

const TOO_MANY_REQUESTS = 429

/** The same question gets the same answer: to ask it again is no way out. */
export const isFinal = (error: unknown): boolean =>
  error instanceof ApiFailure &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== TOO_MANY_REQUESTS

/** What browsers say of a script that is loaded only once it is needed, each in its own words. */
const NOT_LOADED =
  /dynamically imported module|importing a module script failed|unable to preload css/i

export function explain(error: unknown): Explained {
  const causes = chainOf(error)
  for (const each of causes) {
    if (each instanceof ApiFailure) return ofApi(each)
    if (each instanceof NoCookie) {
      return {
        what: 'Your browser did not keep the sign-in: it blocks the cookies of this site.',
        todo: 'Allow cookies for this site in your browser’s settings, then sign in again.',
      }
    }
    if (NOT_LOADED.test(each.message ?? '')) {
      return {
        what: 'A part of this app could not be loaded.',
        todo: 'Check your connection and try again. If it stays, reload the page: a new version may have taken its place.',
      }
    }
    if (each instanceof Unreachable) {
      return {
        what: each.message,
        todo: each.wasSent
          ? `It may have been done all the same: look ${each.isMoney ? 'at your balance and history' : 'whether it was'} before you try again.`
          : 'Check your connection and try again. Nothing was changed.',
      }
    }
  }
  return (
    ofWallet(causes) ??
    ofContract(causes) ??
    ofOddWallet(causes) ?? {
      what: shortOf(error),
      todo: 'Try again. If it stays, reload the page; what is on the chain is not lost.',
    }
  )
}

/** What a person can do, by code; the API's own message says what was wrong. */
const API_ADVICE: Readonly<Record<string, string>> = {
  invalid_request: 'Change what the message names and send it again.',
  invalid_webhook_url: 'Give an https address that the public internet can reach.',
  webhook_limit_reached: 'Delete a webhook that you no longer need.',
  webhook_not_found: 'It was deleted. Go back to the list.',
  delivery_not_found: 'It is older than 30 days, or was never sent. Reload the list.',
  key_exists: 'Revoke the active key first, then create a new one.',
  key_changed: 'Look at the key that is shown now: revoke that one only if you mean it.',
  sign_in_failed: 'Choose your wallet once more and sign the new text.',
  wrong_origin: 'Open the app at its own address and try again there.',
  voucher_open: 'Send it where you began it, or wait until it has run out.',
  request_id_taken: 'Reload the page and withdraw again.',
  not_offered: 'Take the other way that this page offers; reload it if it shows none.',
  not_your_worker: 'Sign in with one of those two, then look again.',
  worker_not_found: 'Check the address.',
  deposit_refused: 'Once that is over or put right, start again: you sign a new purchase.',
  invalid_api_key: 'Check the key, or create a new one on the page “API key”.',
  key_suspended: 'Contact support.',
  insufficient_credits: 'Buy credits, ask for a shorter answer, or take a model of a lower tier.',
  model_not_found: 'Choose another model; the list shows those that are served now.',
  no_workers_available: 'Wait a few seconds, or choose another model. Nothing was charged.',
  context_length_exceeded: 'Begin a new conversation, or ask for a shorter answer.',
  job_timeout: 'Its credits have come back. Try again, or choose another model.',
  job_not_found: 'Check the ID. A job of another wallet is not shown: sign in with that wallet.',
  job_not_completed: 'Only a finished answer can be disputed. An unfinished one costs nothing.',
  dispute_already_open: 'Follow the one that is open; this page shows what comes of it.',
  dispute_window_expired: 'The time to dispute is over and is never extended.',
  rate_limited: 'Wait a few seconds and try again.',
  internal_error: 'Try again. If it stays, quote the number below when you ask for help.',
}

function ofApi({ message, code, status, requestId }: ApiFailure): Explained {
  const todo =
    API_ADVICE[code] ??
    (status === 401
      ? 'Sign in again; you come back to this page.'
      : status === 503 || status === TOO_MANY_REQUESTS
        ? 'Wait a few seconds and try again.'
        : status >= 500
          ? 'Try again in a moment.'
          : 'Change what the message names and try again.')
  return { what: message, todo, requestId: status >= 500 ? requestId : null }
}

const OTHER_CHAIN = ['SwitchChainError', 'ChainMismatchError', 'ConnectorChainMismatchError']
/** Some wallets pass on what the node said, inside of an error of their own. */
const NO_COIN = /insufficient funds for (?:gas|transfer|intrinsic)/i
const CHAIN_SILENT = ['HttpRequestError', 'TimeoutError']

function ofWallet(causes: readonly Cause[]): Explained | undefined {
  const has = (name: string, code?: number) =>
    causes.some((each) => each.name === name || (code !== undefined && each.code === code))
  if (isRejection(causes[0])) {
    return {
      what: 'You declined it in your wallet.',
      todo: 'Nothing was sent and nothing was spent. Start again whenever you like.',
    }
  }
  if (isPending(causes[0])) {
    return {
      what: 'Your wallet still has an earlier question open.',
      todo: 'Open the wallet and answer it, then try again.',
    }
  }
  if (has('InsufficientFundsError') || causes.some(({ message }) => NO_COIN.test(message ?? ''))) {
    return {
      what: 'Your wallet has too little of the chain’s own coin to pay for the transaction.',
      todo: 'Send it a little of the coin, then try again.',
    }
  }
  if (has('NotSwitched')) {
    return {
      what: 'Your wallet has not switched to this service’s chain.',
      todo: 'Choose the chain in the wallet, or add it there first. This page goes on by itself once the wallet is on it.',
    }
  }
  if (OTHER_CHAIN.some((name) => has(name)) || has('', 4902)) {
    return {
      what: 'Your wallet is on another chain.',
      todo: 'Choose this service’s chain in the wallet, then try again.',
    }
  }
  if (has('Moved')) {
    return {
      what: 'This service has moved to other contracts since this page was loaded.',
      todo: 'Nothing was sent and nothing was spent. Reload the page, then start again.',
    }
  }
  if (has('NoAccount')) {
    return {
      what: 'Your wallet gave no address.',
      todo: 'It may be locked: open it, unlock it, let this page see an account, and try again.',
    }
  }
  if (has('NoHash')) {
    return {
      what: 'Your wallet did not say which transaction it sent.',
      todo: 'It may have sent one all the same: look into the wallet, and at your history, before you try again.',
    }
  }
  if (has('NoSignature')) {
    return {
      what: 'Your wallet answered without a signature.',
      todo: 'Nothing was sent and nothing was spent. Try again, or use another wallet.',
    }
  }
  if (has('ConnectorNotConnectedError') || has('ConnectorAccountNotFoundError')) {
    return { what: 'No wallet is connected.', todo: 'Connect the wallet that you signed in with.' }
  }
  if (has('NoKeySignature')) {
    return {
      what: 'Your wallet is a contract, and the token takes no signatures of contracts.',
      todo: 'Send the money by “QR or transfer”, or use a wallet with a key of its own.',
    }
  }
  if (has('WaitForTransactionReceiptTimeoutError')) {
    return {
      what: 'The transaction was sent, and has been seen in no block yet.',
      todo: 'It may still come through: before you try again, look at your history, or at the transaction in the wallet that sent it, which can also hurry or cancel it.',
    }
  }
  if (CHAIN_SILENT.some((name) => has(name))) {
    return {
      what: 'The chain did not answer.',
      todo: 'Wait a few seconds and try again. If you confirmed a transaction, look at your history before: it may have been sent.',
    }
  }
  return undefined
}

function ofContract(causes: readonly Cause[]): Explained | undefined {
  for (const each of causes) {
    const name = objectOf(each.data)?.errorName ?? BY_SELECTOR[selectorOf(each)]
    if (name && CONTRACT_REFUSALS[name]) return CONTRACT_REFUSALS[name]
    // Older contracts, as those of other tokens, give their reason in words.
    const said = each.reason ? `“${each.reason}”` : name
    if (name)
      return { what: `The contract refused: ${said}.`, todo: 'Check the amount and try again.' }
  }
  return undefined
}

const SELECTOR_LENGTH = 2 + 2 * 4

/** Of the revert, as the library tells it or as the node told the wallet. */
const selectorOf = ({ signature, data }: Cause): string =>
  signature ?? (typeof data === 'string' ? data.slice(0, SELECTOR_LENGTH).toLowerCase() : '')

/** What a library makes of a code says less than the wallet itself: "-32000" is also a locked device. */
function ofOddWallet(causes: readonly Cause[]): Explained | undefined {
  const isAnswer = causes.some(({ name }) => name?.endsWith('RpcError'))
  // What a node answered has the request in between.
  if (!isAnswer || causes.some(({ name }) => name === 'RpcRequestError')) return undefined
  const { message, shortMessage } = causes.at(-1) ?? {}
  const own = shortMessage === undefined && message ? `It says: “${message}” ` : ''
  return {
    what: 'Your wallet could not do it.',
    todo: `${own}Look into the wallet, then try again or use another one.`,
  }
}

interface CauseData {
  readonly errorName?: string
  readonly code?: unknown
  readonly originalError?: unknown
  readonly cause?: unknown
}
interface Cause extends Partial<Error> {
  readonly code?: unknown
  readonly shortMessage?: string
  /** A string: what the contract reverted with. */
  readonly data?: string | CauseData | null
  /** The words that a contract reverted with. */
  readonly reason?: string
  /** The selector of a revert that the interface does not name. */
  readonly signature?: string
}

/** The error and what caused it, outermost first. */
function chainOf(error: unknown): readonly Cause[] {
  const chain: Cause[] = []
  let each = error
  while (typeof each === 'object' && each !== null && chain.length < 10) {
    chain.push(each as Cause)
    each = (each as Cause).cause ?? wrapped(each as Cause)
  }
  return chain
}

/** Wallets put the error of another one into `data` of theirs. */
function wrapped(each: Cause): unknown {
  const data = objectOf(each.data)
  return data?.originalError ?? data?.cause ?? (isCode(data?.code) ? data : undefined)
}

const objectOf = (data: Cause['data']): CauseData | undefined =>
  typeof data === 'object' && data !== null ? data : undefined

function shortOf(error: unknown): string {
  const [outer] = chainOf(error)
  return outer?.shortMessage ?? outer?.message ?? String(error)
}

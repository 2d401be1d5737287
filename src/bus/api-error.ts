import { ErrorCode, NatsError } from 'nats'

const CONSUMER_NOT_FOUND = 10_014
const MESSAGE_NOT_FOUND = 10_037
const WRONG_LAST_SEQUENCE = 10_071

export const isConsumerNotFound = (error: unknown): boolean => isApiError(error, CONSUMER_NOT_FOUND)
export const isMessageNotFound = (error: unknown): boolean => isApiError(error, MESSAGE_NOT_FOUND)
/** The subject's last message is not the one that was expected. */
export const isWrongLastSequence = (error: unknown): boolean =>
  isApiError(error, WRONG_LAST_SEQUENCE)

/** Nobody has answered, or who did cannot for now: a stream has no leader, a store no room. */
export const isNoAnswer = (error: unknown): boolean =>
  error instanceof NatsError && NO_ANSWER.has(error.code)

const NO_ANSWER: ReadonlySet<string> = new Set([
  ErrorCode.Timeout,
  // The same code as of whatever JetStream cannot do at the moment.
  ErrorCode.NoResponders,
  ErrorCode.Disconnect,
])

const isApiError = (error: unknown, code: number): boolean =>
  error instanceof NatsError && error.api_error?.err_code === code

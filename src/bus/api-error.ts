import { NatsError } from 'nats'

const MESSAGE_NOT_FOUND = 10_037
const WRONG_LAST_SEQUENCE = 10_071

export const isMessageNotFound = (error: unknown): boolean => isApiError(error, MESSAGE_NOT_FOUND)
/** The subject's last message is not the one that was expected. */
export const isWrongLastSequence = (error: unknown): boolean =>
  isApiError(error, WRONG_LAST_SEQUENCE)

const isApiError = (error: unknown, code: number): boolean =>
  error instanceof NatsError && error.api_error?.err_code === code

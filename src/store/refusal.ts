import { OperatorError } from '../domain/operator-error.ts'

/** No password, a wrong one, or a user that is not meant for the service. */
const REFUSAL = /^(?:NOAUTH|WRONGPASS|NOPERM)\b/

/** What the operator has to put right, where Redis has refused us; undefined: it is another error. */
export const refusalOf = ({ message }: Error): OperatorError | undefined =>
  REFUSAL.test(message)
    ? new OperatorError(`Redis does not let us in, with the user of REDIS_URL: ${message}`)
    : undefined

import { namedSpan, type Traceparent } from '../../src/domain/traceparent.ts'
import type { JobTerms } from './terms.ts'

/** The job's span: what is done on its behalf belongs to it. Undefined: it is not traced. */
export const jobTrace = ({ id, trace }: JobTerms): Traceparent | undefined =>
  trace && namedSpan(trace, id)

/** The same, as a field of what is said for it. */
export const traced = (terms: JobTerms): { readonly trace?: Traceparent } => {
  const trace = jobTrace(terms)
  return trace ? { trace } : NOT_TRACED
}
const NOT_TRACED = {}

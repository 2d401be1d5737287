import type { JobLife } from '../../api.ts'

type Job = JobLife['job']

/** Until the settlement is confirmed, what it costs is not said: 0 would be no price. Not all is settled that is disputed. */
export const isPriced = ({ status, on_chain }: Job): boolean =>
  status === 'disputed'
    ? on_chain.settlement_tx !== null
    : status !== 'pending' && status !== 'processing' && status !== 'settling'

import type { ReactNode } from 'react'
import type { JobLife } from '../../../api.ts'
import { isPriced } from '../../parts/is-priced.ts'
import { AddressLink, TxLink } from '../../parts/tx-link.tsx'
import { credits, dateTime, usdg } from '../../parts/words.ts'
import { insteadOfLock, isReturned } from './not-there.ts'

type Job = JobLife['job']

/** What is known of a job; what is not known yet is said to be so. */
export function JobFacts({ job }: { readonly job: Job }) {
  return (
    <section className="card" aria-label="Job in figures">
      <dl className="facts" style={{ margin: 0 }}>
        {factsOf(job).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value || <span className="muted">not known yet</span>}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function factsOf(job: Job): readonly (readonly [string, ReactNode])[] {
  const { usage, on_chain } = job
  const isOver = isReturned(job)
  const noLock = insteadOfLock(job)
  return [
    ['Model', `${job.model} (${job.tier})`],
    ['Charged', isPriced(job) && `${credits(job.credits_charged)}, ${usdg(job.usdg_value)}`],
    [
      'Tokens',
      usage
        ? `${usage.prompt_tokens.toLocaleString('en')} asked, ${usage.completion_tokens.toLocaleString('en')} answered`
        : isOver && 'none counted',
    ],
    [
      'Worker',
      (job.worker_address && <AddressLink address={job.worker_address} />) || (isOver && 'none'),
    ],
    ['Created', dateTime(job.created_at)],
    ['Answered', job.completed_at ? dateTime(job.completed_at) : isOver && 'not to its end'],
    ['Credits locked', (on_chain.escrow_tx && <TxLink hash={on_chain.escrow_tx} />) || noLock],
    ...(isOver
      ? ([
          [
            'Credits returned',
            (on_chain.refund_tx && <TxLink hash={on_chain.refund_tx} />) || noLock,
          ],
        ] as const)
      : ([
          ['Settled', on_chain.settlement_tx && <TxLink hash={on_chain.settlement_tx} />],
          ['Hash of the answer', on_chain.proof_hash && <Hash hash={on_chain.proof_hash} />],
        ] as const)),
    ...(on_chain.dispute_tx
      ? ([['Disputed', <TxLink key="dispute" hash={on_chain.dispute_tx} />]] as const)
      : []),
    ['Contract', <AddressLink key="contract" address={on_chain.escrow_address} />],
  ]
}

const Hash = ({ hash }: { readonly hash: string }) => <span className="mono">{hash}</span>

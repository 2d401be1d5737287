import { Anchor, Group, Loader, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Problem } from '../../parts/problem.tsx'
import { AddressLink, TxLink } from '../../parts/tx-link.tsx'
import { credits, usdgOfCredits } from '../../parts/words.ts'
import type { Exchange } from './conversation.ts'
import type { ChatReceipt } from './stream-chat.ts'

export function ExchangeView({ exchange }: { readonly exchange: Exchange }) {
  const { question, answer, model, state, error, receipt, jobId } = exchange
  return (
    <article className="exchange" aria-busy={state === 'running'}>
      <Text size="xs" fw={600} className="muted">
        You
      </Text>
      <div className="said">{question}</div>
      <Text size="xs" fw={600} className="muted" mt="sm">
        {model}
      </Text>
      {answer !== '' && (
        <div className="said" data-testid="answer">
          {answer}
        </div>
      )}
      {state === 'running' && (
        <Group gap="xs" mt={4}>
          <Loader size="xs" aria-hidden />
          <Text size="sm" className="muted">
            {answer === '' ? 'Credits are locked, a worker is asked…' : 'Answering…'}
          </Text>
        </Group>
      )}
      {state === 'failed' && <Problem error={error} />}
      {state === 'stopped' && (
        <Text size="sm" className="muted">
          Stopped. What was written by then is charged as usual.
        </Text>
      )}
      {receipt ? (
        <Receipt receipt={receipt} />
      ) : (
        state !== 'running' && jobId && <JobLine id={jobId} />
      )}
    </article>
  )
}

/** What the answer cost, and where it can be checked. */
function Receipt({ receipt }: { readonly receipt: ChatReceipt }) {
  const { credits_charged, credits_remaining, escrow_tx, settlement_tx } = receipt
  return (
    <section className="receipt" aria-label="Receipt">
      <Text size="sm" fw={600} className="numbers">
        Charged {credits(credits_charged)} ({usdgOfCredits(credits_charged)})
        {credits_remaining !== null && ` · ${credits(credits_remaining)} left`}
      </Text>
      <Group gap="sm">
        <Text size="sm">
          Worker <AddressLink address={receipt.worker} />
        </Text>
        {escrow_tx && <TxLink hash={escrow_tx} label="Lock" />}
        {settlement_tx && <TxLink hash={settlement_tx} label="Settlement" />}
        <JobLink id={receipt.job_id}>Job and verification</JobLink>
      </Group>
    </section>
  )
}

const JobLine = ({ id }: { readonly id: string }) => (
  <Text size="sm">
    What became of its credits: <JobLink id={id}>{id}</JobLink>
  </Text>
)

const JobLink = ({ id, children }: { readonly id: string; readonly children: string }) => (
  <Anchor component={Link} to="/jobs/$id" params={{ id } as never} size="sm">
    {children}
  </Anchor>
)

import { Alert, Button, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { JobLife, WebDispute } from '../../../api.ts'
import { call } from '../../api/call.ts'
import { jobQuery } from '../../api/network-queries.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Countdown, useNow } from '../../parts/countdown.tsx'
import { Done } from '../../parts/progress.tsx'
import { TxLink } from '../../parts/tx-link.tsx'
import { credits } from '../../parts/words.ts'
import { disputeCame } from './dispute-came.ts'
import { textHash } from './text-hash.ts'

interface DisputeProps {
  readonly life: JobLife
  /** When it was, by this device, in milliseconds. */
  readonly readAt: number
  readonly text: string
}
/** What the service answered, and when. */
interface Sent {
  readonly answer: WebDispute
  readonly at: number
}

/** While the window is open; afterwards nothing, but for a dialog in use and for what came of it. */
export function Dispute({ life, readAt, text }: DisputeProps) {
  const [sent, setSent] = useState<Sent>()
  const until = life.disputable_until
  const end = until === null ? 0 : Date.parse(until)
  const over = useNow(end) >= end
  if (sent && !sent.answer.dispute_opened) {
    return <Done title="No dispute was opened: your text and the worker’s proof agree" />
  }
  // What was read before says nothing of it.
  const came = sent && (readAt > sent.at ? disputeCame(life) : 'open')
  if (came === 'open') return <Opened dispute={sent!.answer} tx={life.job.on_chain.dispute_tx} />
  if (came === 'refused') return <Refused />
  if (life.job.status === 'disputed') return null
  const send = (answer: WebDispute) => setSent({ answer, at: Date.now() })
  return <Open life={life} until={over ? null : until} text={text} sent={send} />
}

const OVER = 'The time to dispute is over, and is never extended.'

interface OpenProps {
  readonly life: JobLife
  /** Null: the window is closed. */
  readonly until: string | null
  readonly text: string
  readonly sent: (dispute: WebDispute) => void
}

function Open({ life: { job }, until, text, sent }: OpenProps) {
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const hash = text === '' ? null : textHash(text)
  const dispute = useMutation({
    mutationFn: (received_output_hash: string) =>
      call<WebDispute>('POST', `/jobs/${job.id}/dispute`, { received_output_hash }),
    onSuccess: (answer) => {
      sent(answer)
      setAsking(false)
    },
    onSettled: () => {
      for (const queryKey of [jobQuery(job.id).queryKey, ['account']])
        void client.invalidateQueries({ queryKey })
    },
  })
  if (until === null && !asking) return null
  return (
    <section className="card">
      <Title order={2} size="h4" mb={4}>
        Dispute
      </Title>
      <Stack gap="sm">
        <Text maw={680}>
          If what you received is not what the worker signed, you can contest it.{' '}
          {until === null ? (
            OVER
          ) : (
            <>
              The time to do so ends <Countdown until={until} done="now" />, and is never extended.
            </>
          )}
        </Text>
        <Text size="sm" role="status">
          {adviceOf(hash, job.on_chain.proof_hash)}
        </Text>
        <div>
          <Button
            color="red"
            variant="light"
            disabled={hash === null || hash === job.on_chain.proof_hash}
            onClick={() => setAsking(true)}
          >
            Dispute this job
          </Button>
        </div>
      </Stack>
      <Confirm
        opened={asking}
        close={() => setAsking(false)}
        title="Dispute this job?"
        action="Open the dispute"
        keep="Not now"
        run={() => hash && dispute.mutate(hash)}
        busy={dispute.isPending}
        disabled={until === null}
        error={dispute.error}
      >
        {until === null && !dispute.isPending && `${OVER} `}
        Your hash {hash?.slice(0, 15)}… goes on chain, and cannot be taken back. It costs nothing:
        the service sends the transaction. It is decided within 24 hours; until then{' '}
        {job.credits_charged > 0 ? credits(job.credits_charged) : 'the credits of this job'} stay
        disputed. If you are right, they come back and the worker is punished; if not, the worker
        keeps its share.
      </Confirm>
    </section>
  )
}

function adviceOf(hash: string | null, proofHash: string | null): string {
  if (hash === null) return 'Put the text that you received into the field above first.'
  if (hash === proofHash)
    return 'Your text is the one that the worker signed: there is nothing to dispute.'
  return 'Your text is not the one that the worker signed. Make sure that it is complete and unchanged before you dispute.'
}

interface OpenedProps {
  readonly dispute: WebDispute
  /** As the job has it by now. */
  readonly tx: WebDispute['dispute_tx']
}

function Opened({ dispute, tx }: OpenedProps) {
  const known = tx ?? dispute.dispute_tx
  return (
    <Done title="The dispute is open">
      It is decided within {dispute.arbitration_window_hours} hours, and this page shows what comes
      of it. {known ? <TxLink hash={known} /> : 'It is on its way to the chain.'}
    </Done>
  )
}

const Refused = () => (
  <Alert color="yellow" role="status" title="The contract did not take the dispute">
    By the chain’s own clock the time to dispute was over, and it is never extended. The job stays
    settled: the worker keeps its share.
  </Alert>
)

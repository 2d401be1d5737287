import { Alert, Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { WebAccount } from '../../../api.ts'
import { Countdown } from '../../parts/countdown.tsx'
import { credits } from '../../parts/words.ts'

/** What comes in or goes out apart from jobs; nothing when nothing does. */
export function OnTheWay({
  account: { arriving_credits, thawing },
}: {
  readonly account: WebAccount
}) {
  return (
    <>
      {(arriving_credits === null || thawing === null) && <ChainSilent />}
      {arriving_credits !== null && arriving_credits > 0 && (
        <Alert
          color="accent"
          variant="light"
          role="status"
          title={`${credits(arriving_credits)} arriving`}
        >
          A transfer is at your deposit address and is being turned into credits. You need not do
          anything;{' '}
          <Anchor component={Link} to="/buy" inherit>
            details
          </Anchor>
          .
        </Alert>
      )}
      {thawing !== null && thawing.credits > 0 && (
        <Alert
          color="yellow"
          variant="light"
          // An alert, as the library has it, would be read out anew with each second of the countdown.
          role="note"
          title={`${credits(thawing.credits)} set aside to withdraw`}
        >
          They can be taken out{' '}
          {thawing.ends_at ? <Countdown until={thawing.ends_at} done="now" /> : 'soon'}.{' '}
          <Anchor component={Link} to="/withdraw" inherit>
            Go to withdraw
          </Anchor>
        </Alert>
      )}
    </>
  )
}

/** Nothing to see is not the same as nothing there. */
function ChainSilent() {
  return (
    <Alert
      color="yellow"
      variant="light"
      role="status"
      title="The settlement chain does not answer at the moment"
    >
      Whether a transfer is arriving, and what you have set aside to withdraw, is not known until it
      does. Your credits are safe.
    </Alert>
  )
}

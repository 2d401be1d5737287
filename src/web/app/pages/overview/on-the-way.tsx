import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebAccount } from '../../../api.ts'
import { configQuery } from '../../api/queries.ts'
import { Countdown } from '../../parts/countdown.tsx'
import { missingCredits } from '../../parts/missing-credits.ts'
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
      {arriving_credits !== null && arriving_credits > 0 && <Arriving count={arriving_credits} />}
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

function Arriving({ count }: { readonly count: number }) {
  const { data: web } = useQuery(configQuery)
  const missing = missingCredits(count, web?.minimum_purchase_credits ?? 0)
  const details = (
    <Anchor component={Link} to="/buy" inherit>
      details
    </Anchor>
  )
  if (missing > 0) {
    return (
      <Alert
        color="yellow"
        variant="light"
        role="status"
        title={`${credits(count)} not credited yet`}
      >
        A transfer is at your deposit address, and is less than the smallest purchase. Send at least{' '}
        {credits(missing)} more and all of it is credited; {details}.
      </Alert>
    )
  }
  return (
    <Alert color="accent" variant="light" role="status" title={`${credits(count)} arriving`}>
      A transfer is at your deposit address and is being turned into credits. You need not do
      anything; {details}.
    </Alert>
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

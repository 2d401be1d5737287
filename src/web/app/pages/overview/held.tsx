import { Anchor, Button, Group, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreditsHeld } from '../../../api.ts'
import { Countdown } from '../../parts/countdown.tsx'
import { TxLink } from '../../parts/tx-link.tsx'
import { credits, usdgOfCredits } from '../../parts/words.ts'

const SHOWN = 3

/** Credits in one state, with the jobs they are held for. */
export function Held({
  title,
  meaning,
  ends,
  held,
}: {
  readonly title: string
  readonly meaning: string
  /** What has happened once the time of a job is over. */
  readonly ends: string
  readonly held: CreditsHeld
}) {
  const [all, setAll] = useState(false)
  const jobs = all ? held.jobs : held.jobs.slice(0, SHOWN)
  return (
    <section className="card">
      <Group justify="space-between" align="baseline">
        <Title order={2} size="h5">
          {title}
        </Title>
        <Text size="sm" className="muted numbers">
          {usdgOfCredits(held.credits)}
        </Text>
      </Group>
      <div className="figure">{held.credits.toLocaleString('en')}</div>
      <Text size="sm" className="muted" mt={4}>
        {meaning}
      </Text>
      {jobs.length > 0 && (
        <ul className="rows" style={{ marginTop: 12 }}>
          {jobs.map((job) => (
            <li key={job.job_id}>
              <Anchor
                renderRoot={(props) => (
                  <Link {...props} to="/jobs/$id" params={{ id: job.job_id }} />
                )}
                className="mono"
              >
                {job.job_id}
              </Anchor>
              <Group justify="space-between" gap="xs">
                <Text size="sm" fw={600} className="numbers">
                  {credits(job.credits)}
                </Text>
                {job.ends_at && (
                  <Text size="sm" className="muted">
                    {ends} <Countdown until={job.ends_at} done="any moment" />
                  </Text>
                )}
              </Group>
              {job.tx ? <TxLink hash={job.tx} /> : <Text size="sm">not on chain yet</Text>}
            </li>
          ))}
        </ul>
      )}
      {held.jobs.length > SHOWN && (
        <Button
          variant="subtle"
          size="compact-sm"
          mt={4}
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? 'Show fewer' : `Show all ${held.jobs.length}`}
        </Button>
      )}
    </section>
  )
}

import {
  Anchor,
  Button,
  SegmentedControl,
  Stack,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { WebSession, WebSettings } from '../../../api.ts'
import { call } from '../../api/call.ts'
import { learn } from '../../api/client.ts'
import { settingsQuery } from '../../api/queries.ts'
import { Countdown } from '../../parts/countdown.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { AddressLink } from '../../parts/tx-link.tsx'
import { wholeNumber } from '../../parts/typed-number.ts'
import { Whole } from '../../parts/whole.tsx'
import { credits } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { unfinishedOf, useUnfinished } from '../../session/unfinished.ts'

export function SettingsPage() {
  return <Private title="Settings">{(session) => <Settings session={session} />}</Private>
}

function Settings({ session }: { readonly session: WebSession }) {
  const settings = useQuery(settingsQuery)
  return (
    <Page title="Settings">
      <Section title="Low balance warning">
        <Loaded query={settings}>{(data) => <Threshold current={data.low_threshold} />}</Loaded>
        <Text size="sm" className="muted" mt="sm">
          The warning goes to{' '}
          <Anchor inherit renderRoot={(props) => <Link {...props} to="/webhooks" />}>
            your webhooks
          </Anchor>{' '}
          that take credit.low.
        </Text>
      </Section>
      <Section title="Session">
        <Text size="sm">
          Signed in as <AddressLink address={session.wallet} />. The session ends{' '}
          <Countdown until={session.expires_at} done="now" />.
        </Text>
      </Section>
      <Section title="Appearance">
        <Appearance />
      </Section>
    </Page>
  )
}

function Section({
  title,
  children,
}: {
  readonly title: string
  readonly children: React.ReactNode
}) {
  return (
    <section className="card">
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </section>
  )
}

const TYPED = 'threshold'

function Threshold({ current }: { readonly current: number }) {
  const client = useQueryClient()
  const [edited, setEdited] = useUnfinished<string>(TYPED)
  const text = edited ?? current.toLocaleString('en')
  const value = wholeNumber(text)
  const save = useMutation({
    mutationFn: (low_threshold: number) => call<WebSettings>('PUT', '/settings', { low_threshold }),
    onSuccess: async (settings, sent) => {
      await learn(client, settingsQuery, settings)
      // What was typed meanwhile is not saved, and stays.
      if (wholeNumber(unfinishedOf<string>(TYPED) ?? '') === sent) setEdited(undefined)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (value !== undefined) save.mutate(value)
  }
  return (
    <form onSubmit={submit}>
      <Stack align="start">
        <Whole
          label="Threshold in credits"
          description="Your webhooks get credit.low once when the balance falls below it, and again only after it has been above it."
          unit="credits"
          value={text}
          change={setEdited}
          maxWidth={420}
        />
        <Button
          type="submit"
          disabled={value === undefined || value === current}
          loading={save.isPending}
        >
          Save
        </Button>
        <Text size="sm" role="status">
          {save.isSuccess ? `Saved: ${credits(save.data.low_threshold)}.` : ''}
        </Text>
        {save.error && <Problem error={save.error} />}
      </Stack>
    </form>
  )
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      aria-label="Colours"
      value={colorScheme}
      onChange={(value) => setColorScheme(value as typeof colorScheme)}
      data={[
        { value: 'auto', label: 'As the system' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ]}
    />
  )
}

import { Anchor, Badge, Button, Group, SimpleGrid, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebModels } from '../../../api.ts'
import { modelsQuery } from '../../api/network-queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { credits, dateTime, usdgOfCredits } from '../../parts/words.ts'

type Model = WebModels['data'][number]

export function ModelsPage() {
  const query = useQuery(modelsQuery)
  return (
    <Page
      title="Models"
      lead="What workers serve at this moment. A model without a worker is not listed."
    >
      <Loaded query={query} lines={6}>
        {(models) =>
          models.length === 0 ? (
            <Text className="muted">
              No worker serves a model right now. This page looks again every few seconds.
            </Text>
          ) : (
            <>
              <SimpleGrid cols={{ base: 1, md: 2 }}>
                {models.map((model) => (
                  <ModelCard key={model.id} model={model} />
                ))}
              </SimpleGrid>
              <Text size="sm" className="muted" maw={680}>
                The price of a request covers up to 500 tokens of the answer; what is longer costs
                the second price, rounded up to whole credits. The question costs nothing. The first
                token is the median over the workers of the model.
              </Text>
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function ModelCard({ model: { id, owned_by, svc } }: { readonly model: Model }) {
  const latency = svc.median_latency_ms
  const facts = [
    [
      'A request',
      `${credits(svc.credits_per_request)} (${usdgOfCredits(svc.credits_per_request)})`,
    ],
    ['Each 1,000 tokens above 500', credits(svc.credits_per_1k_tokens)],
    ['Workers', svc.active_workers.toLocaleString('en')],
    ['First token', latency > 0 ? `${latency.toLocaleString('en')} ms` : 'not measured yet'],
    ['Context', `${svc.context_window.toLocaleString('en')} tokens`],
  ] as const
  return (
    <section className="card" aria-label={id}>
      <Group justify="space-between" align="start">
        <div>
          <Title order={2} size="h5" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Title>
          <Text size="sm" className="muted">
            {owned_by} · {svc.parameters}
          </Text>
        </div>
        <Badge variant="light" style={{ flexShrink: 0 }}>
          {svc.tier}
        </Badge>
      </Group>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="numbers">{value}</dd>
          </div>
        ))}
      </dl>
      {svc.retires_at && (
        <Text size="sm" mb="sm">
          A vote retires this model on {dateTime(svc.retires_at)}. Until then it works as before;{' '}
          <Anchor component={Link} to="/governance" inherit>
            governance
          </Anchor>
          .
        </Text>
      )}
      <Button
        component={Link}
        to="/playground"
        search={{ model: id } as never}
        size="sm"
        variant="default"
        aria-label={`Try it: ${id}`}
      >
        Try it
      </Button>
    </section>
  )
}

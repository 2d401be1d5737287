import { Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { WebConfig, WebModels } from '../../../api.ts'
import { cheapestOf, modelsQuery } from '../../api/network-queries.ts'
import { configQuery, sessionQuery } from '../../api/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { wholeNumber } from '../../parts/typed-number.ts'
import { Whole } from '../../parts/whole.tsx'
import { keyOfTab } from '../../session/tab-memory.ts'
import { Composer } from './composer.tsx'
import { useConversation } from './conversation.ts'
import { ExchangeView } from './exchange.tsx'
import { useFollowAnswer } from './follow-answer.ts'
import { KeyEntry } from './key-entry.tsx'
import { priceInWords } from './price.ts'

type Model = WebModels['data'][number]

export function PlaygroundPage() {
  const config = useQuery(configQuery)
  const models = useQuery(modelsQuery)
  // A conversation outlives the workers: the last one may leave the list while it still answers.
  const lastServed = useRef<readonly Model[]>([])
  if (models.data && models.data.length > 0) lastServed.current = models.data
  return (
    <Page
      title="Playground"
      lead="Chat with a live model through the public API, as your programs do. What you write is stored nowhere in this app."
    >
      <Loaded query={config}>
        {(web) => (
          <Loaded query={models}>
            {(live) => (
              <>
                {live.length === 0 && (
                  <Text className="muted" role="status">
                    No worker serves a model right now. This page looks again every few seconds.
                  </Text>
                )}
                {lastServed.current.length > 0 && (
                  <Playground web={web} models={lastServed.current} />
                )}
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}

const TOKENS_DEFAULT = '500'

function Playground({
  web,
  models,
}: {
  readonly web: WebConfig
  readonly models: readonly Model[]
}) {
  const [apiKey, setApiKey] = useKeyOfTab()
  const [tokensTyped, setTokensTyped] = useState(TOKENS_DEFAULT)
  const tokens = wholeNumber(tokensTyped)
  const { model, choose } = useChosenModel(models)
  const { exchanges, isRunning, ask, stop, clear } = useConversation()
  useFollowAnswer(exchanges.length)
  const tokensMost = model.svc.context_window - 1
  const isLength = tokens !== undefined && tokens >= 1 && tokens <= tokensMost
  return (
    <Stack>
      <section className="card" aria-label="What you ask with">
        <Stack>
          <KeyEntry prefix={web.service_prefix} apiKey={apiKey} change={setApiKey} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select
              label="Model"
              data={models.map(({ id }) => id)}
              value={model.id}
              onChange={(id) => id && choose(id)}
              allowDeselect={false}
            />
            <Whole
              label="Longest answer, in tokens"
              unit="tokens"
              value={tokensTyped}
              change={setTokensTyped}
              fault={isLength ? null : `From 1 to ${tokensMost.toLocaleString('en')}`}
            />
          </SimpleGrid>
        </Stack>
      </section>
      {exchanges.length > 0 && (
        <section className="card" role="log" aria-label="Conversation">
          {exchanges.map((exchange) => (
            <ExchangeView key={exchange.id} exchange={exchange} />
          ))}
        </section>
      )}
      <Composer
        price={isLength ? priceInWords(model.svc.tier, tokens) : null}
        hasKey={apiKey !== undefined}
        isRunning={isRunning}
        isBegun={exchanges.length > 0}
        stop={stop}
        clear={clear}
        send={(question) => {
          if (apiKey === undefined || !isLength) return
          void ask({ web, apiKey, model: model.id, maxTokens: tokens, question })
        }}
      />
    </Stack>
  )
}

/** Gone with the session: whoever signs out spends no more. */
function useKeyOfTab() {
  const { data: session } = useQuery(sessionQuery)
  const [apiKey, setApiKey] = useState(keyOfTab)
  useEffect(() => {
    if (session === null) setApiKey(keyOfTab())
  }, [session])
  return [apiKey, setApiKey] as const
}

/** In the address, so that other pages can lead here; one that has gone gives way to the cheapest. */
function useChosenModel(models: readonly Model[]) {
  const search: { readonly model?: unknown } = useSearch({ strict: false })
  const navigate = useNavigate()
  const model = models.find(({ id }) => id === search.model) ?? cheapestOf(models) ?? models[0]!
  return {
    model,
    choose: (id: string) =>
      void navigate({ to: '/playground', search: { model: id }, replace: true }),
  }
}

import { Group, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { cheapestOf, modelsQuery } from '../../api/network-queries.ts'
import { configQuery } from '../../api/queries.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { DocsLink } from '../../parts/docs-link.tsx'

/** Commands that work when pasted, with the key itself while it is known. */
export function Snippets({ apiKey }: { readonly apiKey?: string }) {
  const { data: config } = useQuery(configQuery)
  const { data: models = [], isPending } = useQuery(modelsQuery)
  if (!config || isPending) return null
  const model = cheapestOf(models)?.id
  const snippets = snippetsFor({
    baseUrl: config.base_url,
    model: model ?? 'MODEL',
    apiKey,
  })
  return (
    <section className={apiKey ? undefined : 'card'}>
      <Title order={2} size="h5" mb="xs">
        Use it
      </Title>
      {!apiKey && (
        <Text size="sm" className="muted" mb="xs">
          Put your key into the environment variable SVC_API_KEY first.
        </Text>
      )}
      {!model && (
        <Text size="sm" className="muted" mb="xs">
          Write the ID of a model in place of MODEL; none is known to be served right now.
        </Text>
      )}
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm">
          {snippets.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ id, label, code }) => (
          <Tabs.Panel key={id} value={id}>
            <pre className="snippet">{code}</pre>
            <Group mt="xs">
              <CopyButton text={code} what={`${label} example`} />
            </Group>
          </Tabs.Panel>
        ))}
      </Tabs>
      <Text size="sm" className="muted" mt="sm">
        Every call, limit and error: <DocsLink page="quickstart">documentation</DocsLink>.
      </Text>
    </section>
  )
}

interface SnippetFacts {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string | undefined
}

function snippetsFor({ baseUrl, model, apiKey }: SnippetFacts) {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
  return [
    {
      id: 'curl',
      label: 'curl',
      code: [
        `curl ${baseUrl}/chat/completions \\`,
        `  -H "Authorization: Bearer ${apiKey ?? '$SVC_API_KEY'}" \\`,
        `  -H "Content-Type: application/json" \\`,
        `  -d '${body}'`,
      ].join('\n'),
    },
    {
      id: 'javascript',
      label: 'JavaScript',
      code: [
        `import OpenAI from 'openai'`,
        '',
        `const client = new OpenAI({`,
        `  baseURL: '${baseUrl}',`,
        `  apiKey: ${apiKey ? `'${apiKey}'` : 'process.env.SVC_API_KEY'},`,
        `})`,
        `const answer = await client.chat.completions.create(${body})`,
        `console.log(answer.choices[0].message.content)`,
      ].join('\n'),
    },
    {
      id: 'python',
      label: 'Python',
      code: [
        `import os`,
        `from openai import OpenAI`,
        '',
        `client = OpenAI(base_url="${baseUrl}", api_key=${apiKey ? `"${apiKey}"` : 'os.environ["SVC_API_KEY"]'})`,
        `answer = client.chat.completions.create(**${body})`,
        `print(answer.choices[0].message.content)`,
      ].join('\n'),
    },
  ]
}

import { Button, Group } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { reloadPage } from '../session/page.ts'
import { loadAgain } from './lazy-page.ts'

/** Stands in place of a page that could not be shown. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <Page
      title="This page could not be shown"
      lead="Nothing was lost: your credits and what you sent are on the chain. Reload the page; if a new version was put in place meanwhile, that is all it takes."
    >
      <Problem error={error} />
      <Group>
        <Button onClick={() => reloadPage()}>Reload</Button>
        <Button variant="default" onClick={() => loadAgain(router).then(reset)}>
          Try again
        </Button>
      </Group>
    </Page>
  )
}

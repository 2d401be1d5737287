import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Page } from '../parts/page.tsx'

export function NotFound() {
  return (
    <Page
      title="There is no such page"
      lead="The address may be mistyped, or the page was moved. Your credits are where they were."
    >
      <div>
        <Button component={Link} to="/">
          Go to the overview
        </Button>
      </div>
    </Page>
  )
}

import { readFile } from 'node:fs/promises'
import { type Facts, fillIn } from './fill-in.ts'
import { layOut } from './layout.ts'
import { toHtml } from './markdown.ts'

/** The pages of the reference, in reading order. The first is where a visitor arrives. */
export const PAGES = [
  { name: 'quickstart', title: 'Quickstart' },
  { name: 'authentication', title: 'Authentication' },
  { name: 'chat-completions', title: 'Chat completions' },
  { name: 'models', title: 'Models' },
  { name: 'jobs', title: 'Jobs' },
  { name: 'disputes', title: 'Disputes' },
  { name: 'account', title: 'Account and credits' },
  { name: 'webhooks', title: 'Webhooks' },
  { name: 'webhooks-receiving', title: 'Receiving webhooks' },
  { name: 'errors', title: 'Errors' },
  { name: 'retries', title: 'Retries and idempotency' },
  { name: 'limits', title: 'Limits' },
  { name: 'versioning', title: 'Versioning and Phase 2' },
] as const
export const FIRST_PAGE = PAGES[0].name

const SOURCES = new URL('../../docs/api-reference/', import.meta.url)
const LINKS = PAGES.map(({ name, title }) => ({ href: name, title }))

/** Every page as HTML, by name. */
export async function renderPages(facts: Facts): Promise<ReadonlyMap<string, string>> {
  const pages = await Promise.all(
    PAGES.map(async ({ name, title }) => {
      const source = await readFile(new URL(`${name}.md`, SOURCES), 'utf8')
      const content = toHtml(fillIn(source, facts))
      return [name, layOut({ title, links: LINKS, current: name, content })] as const
    }),
  )
  return new Map(pages)
}

/** @param docsUrl where the pages are, seen from anywhere */
export function missingPage(docsUrl: string): string {
  const links = LINKS.map(({ href, title }) => ({
    href: `${docsUrl}/api-reference/${href}`,
    title,
  }))
  const content = '<h1>There is no such page</h1>\n<p>These are the pages there are.</p>'
  return layOut({ title: 'Not found', links, current: undefined, content })
}

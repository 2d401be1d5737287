import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { requireBrowser } from '../../browser.ts'

export interface Browser {
  readonly context: BrowserContext
  readonly page: Page
  /** What the page complained of: console errors, uncaught exceptions, requests to elsewhere. */
  readonly complaints: readonly string[]
  stop(): Promise<void>
}

export interface BrowserOptions {
  /** Where requests may go. */
  readonly origins: readonly string[]
  readonly size?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
}

const PATIENCE_MS = 45_000
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

/** A browser of its own, without a past. */
export async function openBrowser(options: BrowserOptions): Promise<Browser> {
  const { origins, size = { width: 1280, height: 900 }, colorScheme = 'light' } = options
  const userDataDir = mkdtempSync(join(tmpdir(), 'svc-browser-'))
  const context = await chromium.launchPersistentContext(userDataDir, {
    executablePath: await requireBrowser(console.log),
    args: FLAGS,
    viewport: size,
    colorScheme,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  const page = context.pages()[0] ?? (await context.newPage())
  page.on('console', (message) => {
    if (message.type() === 'error')
      complaints.push(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    const local = url.protocol === 'data:' || url.protocol === 'blob:'
    if (!local && !origins.includes(url.origin)) complaints.push(`request: ${request.url()}`)
  })
  return {
    context,
    page,
    complaints,
    stop: async () => {
      await context.close()
      // Processes of its own may still write there.
      rmSync(userDataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

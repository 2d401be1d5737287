// What the web app costs a person: bytes and time to the first page, how soon it answers a click, and
// how far it is from nothing to the first answer. In Chromium, on a network of its own.
import type { Page } from 'playwright-core'
import { type Browser, openBrowser } from '../e2e/web/browser.ts'
import { type Network, startNetwork } from '../network/network.ts'

/** First visits with an empty cache; of their figures the median is told. */
const VISITS = 5

// As the browser itself counts: from the input to the next frame after its handlers (event timing).
const OBSERVERS = `
  window.largestPaint = 0
  new PerformanceObserver((list) => {
    window.largestPaint = list.getEntries().at(-1).startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  let longest = 0
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) longest = Math.max(longest, duration)
  }).observe({ type: 'event', buffered: true, durationThreshold: 16 })
  window.takeLongest = () => new Promise((done) => setTimeout(() => {
    done(longest)
    longest = 0
  }, 100))
`

const BYTES = `(() => {
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ name }) => new URL(name).origin === location.origin && !name.includes('/api/'))
  const sum = (kept) => kept.reduce((total, { transferSize }) => total + transferSize, 0)
  return {
    files: all.length,
    total: sum(all),
    scripts: sum(all.filter(({ name }) => name.endsWith('.js'))),
    styles: sum(all.filter(({ name }) => name.endsWith('.css'))),
  }
})()`

const network = await startNetwork()
try {
  const visits = []
  for (let visit = 0; visit < VISITS; visit++) visits.push(await firstVisit(network))
  const bytes = visits[0]!.bytes
  say(`first page, empty cache: ${bytes.files} files, ${kilobytes(bytes.total)} on the wire`)
  say(`  of it scripts ${kilobytes(bytes.scripts)}, styles ${kilobytes(bytes.styles)}`)
  say(`  first contentful paint ${median(visits.map(({ paintMs }) => paintMs))} ms`)
  say(`  largest contentful paint ${median(visits.map(({ largestMs }) => largestMs))} ms`)
  say(`  ready to sign in after ${median(visits.map(({ readyMs }) => readyMs))} ms`)
  await firstAnswer(network)
} finally {
  await network.stop()
}

async function firstVisit({ web_url }: Network) {
  return inBrowser(async ({ page }) => {
    await page.addInitScript(OBSERVERS)
    const startedAt = performance.now()
    await page.goto(web_url)
    await page.getByRole('button', { name: /Development wallet/ }).waitFor()
    const readyMs = Math.round(performance.now() - startedAt)
    const [bytes, paintMs, largestMs] = await Promise.all([
      read<{ files: number; total: number; scripts: number; styles: number }>(page, BYTES),
      read<number>(page, 'performance.getEntriesByName("first-contentful-paint")[0].startTime'),
      read<number>(page, 'window.largestPaint'),
    ])
    return { bytes, paintMs, largestMs, readyMs }
  })
}

/** By hand, as fast as a script can: what is left is the app, the network and the chain. */
async function firstAnswer({ web_url }: Network): Promise<void> {
  await inBrowser(async ({ page }) => {
    await page.addInitScript(OBSERVERS)
    await page.goto(web_url)
    const steps: string[] = []
    const startedAt = performance.now()
    const step = async (name: string, click: () => Promise<void>, seen: () => Promise<void>) => {
      const before = performance.now()
      await click()
      await seen()
      const tookMs = Math.round(performance.now() - before)
      const longest = await read<number>(page, 'window.takeLongest()')
      steps.push(`  ${name}: ${tookMs} ms, longest interaction ${longest} ms`)
    }
    const button = (name: string | RegExp) => page.getByRole('button', { name }).click()
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    const open = (name: string) => () =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

    await step(
      'sign in',
      () => button(/Development wallet/),
      () => heading('Overview'),
    )
    await step('open “Buy credits”', open('Buy credits'), () => heading('Buy credits'))
    await step(
      'take test funds',
      () => button('Get test funds'),
      () => page.getByText('Test funds have arrived in your wallet.').waitFor(),
    )
    await step(
      'buy 1,000 credits',
      () => button(/^Sign to buy/),
      () => page.getByText('Bought 1,000 credits').waitFor(),
    )
    await step('open “API key”', open('API key'), () => heading('API key'))
    const dialog = page.getByRole('dialog')
    await step(
      'create a key',
      () => button('Create an API key'),
      () => dialog.getByTestId('api-key').waitFor(),
    )
    await step(
      'store it',
      async () => {
        await dialog.getByLabel('I stored it').check()
        await dialog.getByRole('button', { name: 'Done' }).click()
      },
      () => dialog.waitFor({ state: 'detached' }),
    )
    await step('open “Playground”', open('Playground'), () => heading('Playground'))
    await page.getByLabel('Your message').fill('Hello')
    await step(
      'send, until the first words',
      () => button('Send'),
      () => page.getByTestId('answer').last().waitFor(),
    )
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    say(`from sign-in to the first answer: ${steps.length} steps, ${seconds} s`)
    for (const line of steps) say(line)
  })
}

async function inBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const { web_url, rpc_url, base_url } = network
  const browser = await openBrowser({
    origins: [web_url, rpc_url, base_url].map((url) => new URL(url).origin),
  })
  try {
    return await work(browser)
  } finally {
    await browser.stop()
  }
}

async function read<T>(page: Page, expression: string): Promise<T> {
  return (await page.evaluate(expression)) as T
}

function median(values: readonly number[]): number {
  return Math.round([...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN)
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1_000)} kB`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

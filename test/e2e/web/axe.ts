import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds at fault on a page, of the two graver kinds, as lines to read. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  // Evaluated, not added as a script: the page's policy allows none but its own.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const faults = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })
    .then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 160) + ' — ' + node.failureSummary)))`)
  return faults as readonly string[]
}

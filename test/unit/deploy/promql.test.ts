import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { panels } from './dashboards.ts'
import { ROOT } from './helm.ts'
import { parseQuery } from './promql.ts'

/** Alerts and dashboard are read by Prometheus, and ask for labels that the figures have. */
const Queries = suite('deploy: queries')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** What Prometheus adds to all that it reads; `le` is of the buckets of a histogram. */
const ALWAYS = ['job', 'instance']

/** The table of figures, as operators read it. */
const labelsOf = new Map(
  [
    ...read('src/docs/operating/monitoring.md').matchAll(
      /^\| `(svc_\w+)` \| [^|]+ \| ([^|]*) \|/gm,
    ),
  ].map(([, name, labels]) => [name!, words(labels!)]),
)

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim().replaceAll("'", ''))
    .filter((word) => word !== '')
}

interface Asked {
  readonly where: string
  readonly expr: string
}
const alerts: readonly Asked[] = parse(read('deploy/monitoring/alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: readonly { alert: string; expr: string }[] }) =>
    rules.map(({ alert, expr }) => ({ where: alert, expr })),
)
const asked: readonly Asked[] = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ where: title, expr })),
)

/** Labels that no figure of that name has. */
function unknownLabels(expr: string): string[] {
  return parseQuery(expr).needs.flatMap(({ figure, labels }) => {
    const [, name = figure, part] = /^(svc_\w+?)(?:_(bucket|count|sum))?$/.exec(figure) ?? []
    const has = [...ALWAYS, ...(labelsOf.get(name) ?? []), ...(part === 'bucket' ? ['le'] : [])]
    return labels.filter((label) => !has.includes(label)).map((label) => `${figure}: ${label}`)
  })
}

Queries('Prometheus reads every query', () => {
  assert.ok(alerts.length > 10 && asked.length > 10)
  for (const { where, expr } of [...alerts, ...asked]) {
    const { faults, needs } = parseQuery(expr)
    assert.equal(faults, [], where)
    assert.ok(needs.length > 0, where)
  }
})

Queries('every label that is matched or grouped by is one of the figure', () => {
  for (const { where, expr } of [...alerts, ...asked]) {
    assert.equal(unknownLabels(expr), [], where)
  }
})

Queries('the check finds what Prometheus would not read, and labels that there are not', () => {
  assert.is(parseQuery('sum(rate(svc_jobs_total[5m]) > 1').faults.length > 0, true)
  assert.is(parseQuery('sum(rate(svc_jobs_total[5m]))) > 1').faults.length > 0, true)
  const query = 'sum by (lane, le) (rate(svc_jobs_total{state="refunded",job="actors"}[5m]))'
  assert.equal(unknownLabels(query), [
    'svc_jobs_total: state',
    'svc_jobs_total: lane',
    'svc_jobs_total: le',
  ])
})

Queries('the table names the labels that the code gives', () => {
  const declared = ['src', 'actors'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...read(join(folder, file)).matchAll(/name: '(svc_\w+)'[^}]*?labels: \[([^\]]*)\]/g),
      ]),
  )
  assert.ok(declared.length > 10)
  for (const [, name, labels] of declared) {
    assert.equal([...labelsOf.get(name!)!].sort(), words(labels!).sort(), name)
  }
})

Queries.run()

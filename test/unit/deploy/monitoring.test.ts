import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import type { ActorKind } from '../../../src/config/schema.ts'
import { panels } from './dashboards.ts'

/** Alerts, dashboard and pages speak of figures that processes have, and of nothing else. */
const Monitoring = suite('deploy: monitoring')

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** What Node and Prometheus add. */
const OTHERS = /^(process_|nodejs_|up$)/
const METRIC = /\b(?:svc|process|nodejs)_[a-z0-9_]+/g

const figures = new Set(
  ['src', 'actors'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => read(join(folder, file)))
      .filter((text) => text.includes("metrics.ts'"))
      .flatMap((text) =>
        [...text.matchAll(/'(svc_[a-z0-9_]*[a-z0-9])'/g)].map(([, name]) => name!),
      ),
  ),
)

const used = (expression: string): string[] =>
  [...expression.matchAll(METRIC)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''))

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}
const rules: readonly Rule[] = parse(read('deploy/monitoring/alerts.yaml')).groups.flatMap(
  (group: { rules: readonly Rule[] }) => group.rules,
)

function assertKnown(where: string, expression: string): void {
  for (const name of used(expression)) {
    assert.ok(OTHERS.test(name) || figures.has(name), `${where}: nobody measures ${name}`)
  }
}

Monitoring('every alert asks for figures that there are, and says how bad it is', () => {
  assert.ok(rules.length > 10)
  for (const { alert, expr, labels, annotations } of rules) {
    assertKnown(alert, expr)
    assert.ok(['page', 'warn', 'info'].includes(labels.severity), alert)
    assert.ok(annotations.summary, alert)
  }
})

Monitoring('every alert has a page that says what to do, and every page an alert', () => {
  const pages = [...read('src/docs/operating/incidents.md').matchAll(/^## (\w+)$/gm)].map(
    ([, title]) => title!,
  )
  assert.equal([...pages].sort(), rules.map(({ alert }) => alert).sort())
  for (const { alert, annotations } of rules) {
    assert.is(annotations.runbook, `src/docs/operating/incidents.md#${alert.toLowerCase()}`)
  }
})

Monitoring('in Kubernetes the same alerts come by the command of the guide', () => {
  const guide = read('src/docs/operating/kubernetes.md')
  const [, command] = /^## Alerts$.*?^```sh$(.*?)^```$/ms.exec(guide) ?? []
  const applied = parse(
    execFileSync('sh', ['-euc', `kubectl() { cat; }\n${command}`], { cwd: root, encoding: 'utf8' }),
  )
  assert.equal([applied.apiVersion, applied.kind], ['monitoring.coreos.com/v1', 'PrometheusRule'])
  assert.equal(applied.spec, parse(read('deploy/monitoring/alerts.yaml')))
})

Monitoring('whatever jobs cannot do without alerts somebody where no host runs it', () => {
  // Of settlements that nobody hears of no figure tells, nor does one of blocks that nobody reads.
  const kinds = rules.flatMap(
    ({ expr }) => /svc_resources_held\{kind="(.+?)"\}/.exec(expr)?.[1] ?? [],
  )
  const needed: readonly ActorKind[] = ['chain-watcher', 'job', 'settlement']
  assert.equal(kinds.sort(), needed)
})

Monitoring('what a chain of slow blocks or many confirmations does by nature alerts nobody', () => {
  const asks = (name: string) => used(rules.find(({ alert }) => alert === name)?.expr ?? '')
  assert.equal(asks('WatcherBehind'), ['svc_chain_final_block', 'svc_watcher_block'])
  assert.equal(asks('LaneSlow'), ['svc_lane_oldest_seconds', 'svc_lock_wait_max_seconds'])
})

Monitoring('of several addresses that pay for one thing the poorest counts', () => {
  // Web processes are best given a relayer each, and all of them are `relayer`.
  const asked = [...rules, ...panels.flatMap(({ targets = [] }) => targets)]
    .map(({ expr }) => expr)
    .filter((expr) => expr.includes('svc_key_coin'))
  assert.is(asked.length, 2)
  for (const expr of asked) {
    const [all, least] = [/svc_key_coin/g, /min by \(key\) \(svc_key_coin\)/g]
    assert.is(expr.match(least)?.length, expr.match(all)?.length, expr)
  }
})

Monitoring('the dashboards ask for figures that there are', () => {
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) assertKnown(title, expr)
  }
})

Monitoring('every figure is on a dashboard or in an alert, and in the list of figures', () => {
  const list = read('src/docs/operating/monitoring.md')
  const shown = new Set([
    ...panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => used(expr))),
    ...rules.flatMap(({ expr }) => used(expr)),
  ])
  for (const name of figures) {
    assert.ok(shown.has(name), `${name} is measured and shown nowhere`)
    assert.ok(list.includes(`\`${name}\``), `${name} is not in monitoring.md`)
  }
})

Monitoring.run()

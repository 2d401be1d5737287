import { parser } from '@prometheus-io/lezer-promql'

/** What a query asks for: which labels it needs of which figure. */
export interface Query {
  /** What Prometheus would not read, with what stands there. */
  readonly faults: readonly string[]
  readonly needs: readonly Need[]
}
export interface Need {
  readonly figure: string
  readonly labels: readonly string[]
}

type Node = ReturnType<typeof parser.parse>['topNode']

/** By the grammar of Prometheus' own web page. Grafana's variables are replaced before, as it does. */
export function parseQuery(query: string): Query {
  const text = query.replaceAll('$__rate_interval', '5m')
  const { topNode } = parser.parse(text)
  const faults: string[] = []
  topNode.cursor().iterate(({ type, from }) => {
    if (type.isError) faults.push(`"${text.slice(from, from + 20)}" at ${from}`)
  })
  const wordsIn = (node: Node | null, name: string): string[] =>
    node ? found(node, name).map(({ from, to }) => text.slice(from, to)) : []

  const needs = found(topNode, 'VectorSelector').flatMap((selector) => {
    const matched = wordsIn(selector.getChild('LabelMatchers'), 'LabelName')
    const grouped = aggregates(selector).flatMap((aggregate) =>
      wordsIn(aggregate.getChild('AggregateModifier'), 'LabelName'),
    )
    return wordsIn(selector, 'Identifier').map((figure) => ({
      figure,
      labels: [...matched, ...grouped],
    }))
  })
  return { faults, needs }
}

function found(node: Node, name: string): Node[] {
  const here: Node[] = []
  node.cursor().iterate((each) => {
    if (each.name === name) here.push(each.node)
  })
  return here
}

/** All that this stands in, as `sum by (lane) (…)`. */
function aggregates(node: Node): Node[] {
  const around: Node[] = []
  for (let each = node.parent; each; each = each.parent) {
    if (each.name === 'AggregateExpr') around.push(each)
  }
  return around
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './helm.ts'

export interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

/** The service's, and that of who runs workers. */
const FILES = ['dashboard.json', 'workers.json']

/** The panels of all dashboards. */
export const panels: readonly Panel[] = FILES.flatMap(
  (file) => JSON.parse(readFileSync(join(ROOT, 'deploy/monitoring', file), 'utf8')).panels,
)

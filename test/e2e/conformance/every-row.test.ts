import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ROWS, titlesOf } from './rows.ts'

/** That the table of rows is whole, and that each part of it has a file that runs it. */
const Rows = suite('conformance: rows')

const parts = Object.entries(ROWS)

Rows('no row is listed twice', () => {
  const titles = parts.flatMap(([, tables]) => titlesOf(tables))
  const twice = titles.filter((title, i) => titles.indexOf(title) !== i)
  assert.equal(twice, [])
  const counts = parts.map(([part, tables]) => `${titlesOf(tables).length} in ${part}`)
  process.stdout.write(`\n${titles.length} rows: ${counts.join(', ')}\n`)
})

for (const [part] of parts) {
  Rows(`the rows of ${part} are run by ${part}.test.ts`, () => {
    const source = readFileSync(join(import.meta.dirname, `${part}.test.ts`), 'utf8')
    // The suite that is given them fails for each that has no test.
    assert.ok(source.includes(`conformance('${part}', ROWS.${part})`))
    assert.ok(source.includes('suite.run()'))
  })
}

Rows.run()

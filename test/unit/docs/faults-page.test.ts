import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/** A page that names its evidence is worth as much as the evidence that is there. */
const Faults = suite('page on bad input and faults')

const ROOT = resolve(import.meta.dirname, '../../..')
const CONTRACT_TESTS = join(ROOT, 'src/contracts/test')
const page = readFileSync(join(ROOT, 'src/docs/bad-input-and-faults.md'), 'utf8')

const solidity = new Map(
  readdirSync(CONTRACT_TESTS, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.t.sol'))
    .map((path) => [path.split('/').at(-1)!, readFileSync(join(CONTRACT_TESTS, path), 'utf8')]),
)

Faults('each test file that it names is there', () => {
  const named = [...page.matchAll(/`(test\/[\w/-]+\.test\.ts)`/g)].map(([, path]) => path!)
  assert.ok(named.length > 30)
  for (const path of named) assert.ok(existsSync(join(ROOT, path)), path)
  for (const [, name] of page.matchAll(/`(\w+\.t\.sol)`/g)) assert.ok(solidity.has(name!), name)
})

Faults('each test that it names is in that file', () => {
  for (const [, file, list] of page.matchAll(/`(\w+\.t\.sol)` \(([^)]*)\)/g)) {
    for (const [, name] of list!.matchAll(/`(\w+)`/g)) {
      assert.match(solidity.get(file!) ?? '', new RegExp(`function test(Fuzz)?_${name}`), name)
    }
  }
})

Faults.run()

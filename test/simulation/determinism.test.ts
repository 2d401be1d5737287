import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { liveSeeds } from './seeds.ts'

const FROM = 7
const COUNT = 4
const CHILD_MS_MAX = 200_000

const Determinism = suite('the same seed')

async function histories(from: number, count: number): Promise<readonly string[]> {
  const texts: string[] = []
  await liveSeeds({ from, count, each: ({ history }) => texts.push(history.text) > 0 })
  return texts
}

Determinism('is the same life, to the byte, and another one is not', async () => {
  const first = await histories(FROM, COUNT)
  const second = await histories(FROM, COUNT)
  assert.is(new Set(first).size, COUNT)
  for (const [i, text] of first.entries()) {
    assert.ok(text.split('\n').length > 20, `seed ${FROM + i} hardly lives`)
    assert.is(text, second[i])
  }
})

Determinism('is the same life in another process, whatever was lived before it', () => {
  const seed = FROM + COUNT - 1
  const after = digests(FROM, COUNT)
  assert.is(after.length, COUNT)
  assert.is(new Set(after).size, COUNT)
  assert.equal(digests(seed, 1), after.slice(-1))
})

/** A line for each life, as a process of their own tells them. */
function digests(from: number, count: number): readonly string[] {
  const run = fileURLToPath(new URL('./run.mjs', import.meta.url))
  const args = [run, '--from', `${from}`, '--seeds', `${count}`, '--digest']
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: CHILD_MS_MAX })
  assert.is(child.status, 0, child.stderr)
  return child.stdout.match(/^\d+ [0-9a-f]{64}$/gm) ?? []
}

Determinism.run()

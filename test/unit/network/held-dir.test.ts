import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dataDirAt } from '../../../src/network/data/data-dir.ts'
import { makeHeldDir } from '../../../src/network/data/held-dir.ts'
import { makeScreen } from '../../../src/network/screen.ts'

const Held = suite<{ path: string }>('a data directory that a launcher holds')

Held.before.each((context) => {
  context.path = mkdtempSync(join(tmpdir(), 'svc-held-'))
})
Held.after.each(({ path }) => {
  rmSync(path, { recursive: true })
})

const launcherOf = (path: string) =>
  makeHeldDir({
    dir: dataDirAt(path),
    screen: makeScreen({ write: () => {} }, () => 0),
    running: () => [],
  })

for (const [what, left] of [
  ['nothing', undefined],
  ['what a killed launcher left', { launcher: { pid: process.pid, name: 'launcher', born: '0' } }],
] as const) {
  Held(`of two that start at once on ${what}, one gets it`, async ({ path }) => {
    const { pidsFile } = dataDirAt(path)
    if (left) writeFileSync(pidsFile, JSON.stringify({ ...left, processes: [] }))
    const both = [launcherOf(path), launcherOf(path)]
    const taken = await Promise.allSettled(both.map((each) => each.take(false)))
    assert.equal(taken.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const refused = taken.findIndex(({ status }) => status === 'rejected')
    assert.match(String((taken[refused] as PromiseRejectedResult).reason), 'is already running')
    both[refused]!.leave()
    assert.ok(existsSync(pidsFile), 'it is the other one’s')
    both[1 - refused]!.leave()
    assert.not(existsSync(pidsFile))
  })
}

Held('it is held before what may take long is done', async ({ path }) => {
  const dir = dataDirAt(path)
  writeFileSync(dir.contractsFile, '{}')
  const held = launcherOf(path)
  // Not made by a launcher, so that nothing of it is removed.
  assert.match(String(await held.take(true).catch(String)), 'was not made by npm start')
  assert.ok(existsSync(dir.contractsFile))
  assert.ok(existsSync(dir.pidsFile))
  held.leave()
  assert.not(existsSync(dir.pidsFile))
})

Held.run()

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
  const held = launcherOf(path)
  writeFileSync(join(path, '.svc-network'), '')
  // In the way of the last folder that is made.
  writeFileSync(dir.logs, '')
  assert.match(String(await held.take(false).catch(String)), 'EEXIST')
  assert.ok(existsSync(dir.pidsFile))
  held.leave()
  assert.not(existsSync(dir.pidsFile))
})

for (const fresh of [false, true]) {
  for (const name of ['redis', 'nats', 'contracts.json', 'network.json']) {
    const what = `${name} of somebody else stays${fresh ? ', also with --fresh' : ''}`
    Held(what, async ({ path }) => {
      const theirs = name.includes('.') ? join(path, name) : join(path, name, 'theirs')
      mkdirSync(dirname(theirs), { recursive: true })
      writeFileSync(theirs, '{}')
      const held = launcherOf(path)
      assert.match(String(await held.take(fresh).catch(String)), 'was not made by npm start')
      held.leave()
      assert.is(readFileSync(theirs, 'utf8'), '{}')
    })
  }
}

Held('empty folders are in nobody’s way, as of disks of their own', async ({ path }) => {
  const dir = dataDirAt(path)
  for (const folder of [dir.natsStore, dir.redisStore]) mkdirSync(folder)
  const held = launcherOf(path)
  await held.take(false)
  held.leave()
  await held.take(true)
  held.leave()
})

Held.run()

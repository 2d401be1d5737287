import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/** A launcher of its own, which says what it is asked. */
const Stopping = suite('the wish to end a network')

const SOURCE = pathToFileURL(
  `${import.meta.dirname}/../../../src/network/processes/stopping.ts`,
).href

/** @param startedBy as code: the process by which it believes to be started */
function launcher(startedBy: string) {
  const script = `
    const { whenAskedToStop } = await import(${JSON.stringify(SOURCE)})
    const say = (word) => () => { console.log(word); process.exit() }
    whenAskedToStop({ startedBy: ${startedBy}, stop: say('stop'), kill: say('kill') })
    setTimeout(say('nobody asked'), 3_000)
    console.log('up')`
  const args = ['--import', 'tsx', '--input-type=module', '-e', script]
  const env = { ...process.env, npm_lifecycle_event: 'start', SVC_SUPERVISED: '' }
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

Stopping('is that of npm, which was killed before anybody looked', async () => {
  // Whoever has lost its parent has another one.
  assert.is(await text(launcher('process.ppid + 1').stdout), 'up\nstop\n')
})

Stopping("is nobody's while npm lives, until there is a signal", async () => {
  const child = launcher('process.ppid')
  const said = text(child.stdout)
  await once(child.stdout, 'data')
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  child.kill('SIGTERM')
  assert.is(await said, 'up\nstop\n')
})

Stopping.run()

import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/** How a role ends that cannot start: what whoever runs it is to make of that. */
const Ends = suite('config: how a role ends')

const source = (path: string) => new URL(`../../../src/${path}`, import.meta.url).href
const START_MS = 60_000

/** @param fault what the start of the role throws */
function startOf(fault: string) {
  const program = `import { main, runProcess } from '${source('config/process.ts')}'
    import { OperatorError } from '${source('domain/operator-error.ts')}'
    import { makeLog } from '${source('telemetry/log.ts')}'
    const start = async () => { throw ${fault} }
    main(() => runProcess(makeLog('edge', 'info'), start))`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: START_MS,
  })
  return { status, out: stdout, err: stderr }
}

Ends('what an operator has to put right is a line without a stack, and 1', () => {
  const { status, out, err } = startOf("new OperatorError('set NATS_URL')")
  assert.equal([status, out, err], [1, '', 'set NATS_URL\n'])
})

Ends('a fault of ours is in the log with its stack, and 70', () => {
  const { status, out } = startOf("new TypeError('undefined is no function')")
  assert.is(status, 70)
  const { level, msg, err } = JSON.parse(out)
  assert.equal([level, msg, err.type], [60, 'stopped by a fault', 'TypeError'])
  assert.match(err.stack, /undefined is no function/)
})

Ends.run()

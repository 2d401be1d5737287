import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLog } from '../../../src/telemetry/log.ts'

const Logs = suite('logs')
const LOG = new URL('../../../src/telemetry/log.ts', import.meta.url).href

function linesOf(write: (log: ReturnType<typeof makeLog>) => void): string {
  const lines: string[] = []
  write(makeLog('edge', 'info', { write: (line) => lines.push(line) }))
  return lines.join('')
}

Logs('an error tells its kind, its words, its code and its causes', () => {
  const cause = Object.assign(new RangeError('too far'), { code: 'FAR' })
  const error = Object.assign(new TypeError('not there', { cause }), { code: 'GONE' })
  const { err, ...line } = JSON.parse(
    linesOf((log) => log.warn({ err: error, jobId: 'a' }, 'it failed')),
  )
  assert.is(line.msg, 'it failed')
  assert.is(line.jobId, 'a')
  assert.equal([err.type, err.message, err.code], ['TypeError', 'not there: too far', 'GONE'])
  assert.match(err.stack, /caused by: RangeError: too far/)
})

Logs('what a library hangs onto an error is left out, of its causes too', () => {
  const refused = Object.assign(new Error('OOM command not allowed'), {
    command: { name: 'set', args: ['o:job', Buffer.from('the answer')] },
    errors: [Object.assign(new Error('one'), { args: 'the answer' })],
  })
  const line = linesOf((log) => {
    log.warn({ err: refused }, 'not stored')
    log.error(refused)
    log.error({ err: new Error('over it', { cause: refused }) }, 'not stored')
    log.child({ jobId: 'a' }).warn({ err: { message: 'no error', args: 'the answer' } }, 'thrown')
  })
  assert.match(line, /OOM command not allowed/)
  assert.not.match(line, /the answer|"command"|"args"/)
  assert.not.match(line, JSON.stringify(Buffer.from('the answer').toJSON().data).slice(1, -1))
})

Logs('a disk that is full under them ends nobody', () => {
  const program = `import { makeLog } from '${LOG}'
    const log = makeLog('edge', 'info')
    for (let line = 0; line < 50_000; line++) log.info({ line }, 'nowhere to go')
    process.stderr.write('lives')`
  const full = openSync('/dev/full', 'w')
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const { stderr, status } = spawnSync(process.execPath, args, { stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  assert.equal([String(stderr), status], ['lives', 0])
})

Logs.run()

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Program } from '../../../src/network/processes/kept-program.ts'
import { makeSupervisor, type Supervisor } from '../../../src/network/processes/supervisor.ts'
import { until } from '../../until.ts'

interface Context {
  logs: string
  lines: string[]
  supervisor: Supervisor
}

const PATIENCE_MS = 10_000
const Supervision = suite<Context>('supervisor')

Supervision.before.each((context) => {
  const lines: string[] = []
  const logs = mkdtempSync(join(tmpdir(), 'svc-supervisor-'))
  const say = (line: string) => lines.push(line)
  const supervisor = makeSupervisor({ logs, say, changed: () => {} })
  Object.assign(context, { logs, lines, supervisor })
})

Supervision.after.each(({ logs, supervisor }) => {
  supervisor.kill()
  rmSync(logs, { recursive: true, force: true })
})

const program = (script: string): Program => ({
  role: 'worker',
  name: 'worker-1',
  command: process.execPath,
  args: ['-e', script],
  supervised: true,
})
const FOR_EVER = 'setInterval(() => {}, 1000)'

Supervision('a killed process is named and started again', async ({ supervisor, lines }) => {
  supervisor.start(program(FOR_EVER))
  const [first] = supervisor.running()
  process.kill(first!.pid, 'SIGKILL')
  await until(
    'another pid',
    () => {
      const [now] = supervisor.running()
      return now !== undefined && now.pid !== first!.pid
    },
    PATIENCE_MS,
  )
  assert.match(lines.join('\n'), 'worker-1 stopped (ended by SIGKILL)')
})

Supervision('what a failing process said last is shown', async ({ supervisor, lines }) => {
  supervisor.start(program('console.error("PORT: must be a number"); process.exit(3)'))
  await until('two ends', () => lines.length >= 2, PATIENCE_MS)
  assert.is(lines[0], '! worker-1 stopped (exit code 3: PORT: must be a number); starting it again')
})

Supervision('an error in the log is shown in one line, once', async (context) => {
  const record = JSON.stringify({ level: 50, msg: 'no chain', err: { message: 'refused' } })
  const script = `for (let i = 0; i < 5; i++) console.log(${JSON.stringify(record)});${FOR_EVER}`
  context.supervisor.start(program(script))
  await until('an error', () => context.lines.length > 0, PATIENCE_MS)
  assert.equal(context.lines, ['! worker-1: no chain: refused (logs/worker-1.log)'])
  const log = readFileSync(join(context.logs, 'worker-1.log'), 'utf8')
  assert.is(log, `${record}\n`.repeat(5))
})

Supervision('a command that does not exist is named', async ({ supervisor, lines }) => {
  supervisor.start({ ...program(''), command: '/nowhere/program' })
  await until('a line', () => lines.length > 0, PATIENCE_MS)
  assert.match(lines[0]!, '/nowhere/program')
})

Supervision('stop ends a process and keeps it ended', async ({ supervisor, lines }) => {
  supervisor.start(program(FOR_EVER))
  await supervisor.stop(['worker'], PATIENCE_MS)
  assert.equal(supervisor.running(), [])
  assert.equal(lines, [])
  supervisor.start(program(FOR_EVER))
  assert.equal(supervisor.running(), [], 'a start after the stop')
})

Supervision('a second stop waits for the first, and sends nothing again', async (context) => {
  const script = `process.on('SIGTERM', () => { console.log('told'); setTimeout(process.exit, 300) })
    console.log('up');${FOR_EVER}`
  context.supervisor.start(program(script))
  const log = () => readFileSync(join(context.logs, 'worker-1.log'), 'utf8')
  await until('started', () => log().includes('up'), PATIENCE_MS)
  const first = context.supervisor.stop(['worker'], PATIENCE_MS)
  await until('told', () => log().includes('told'), PATIENCE_MS)
  await Promise.all([first, context.supervisor.stop(['worker'], PATIENCE_MS)])
  assert.is(log(), 'up\ntold\n')
})

Supervision('a process that ignores SIGTERM is killed when patience ends', async (context) => {
  context.supervisor.start(
    program(`process.on('SIGTERM', () => {}); console.log('up');${FOR_EVER}`),
  )
  const log = join(context.logs, 'worker-1.log')
  await until('started', () => readFileSync(log, 'utf8').includes('up'), PATIENCE_MS)
  await context.supervisor.stop(['worker'], 100)
  assert.equal(context.supervisor.running(), [])
})

Supervision.run()

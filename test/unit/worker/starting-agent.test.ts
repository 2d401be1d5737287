import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toBytes } from '../../../src/domain/bytes.ts'
import { privateKeyAddress } from '../../../src/domain/proof.ts'
import { ask, type Question } from '../../../src/worker/local/control.ts'
import type { AgentReport } from '../../../src/worker/status/report.ts'
import { loadingEngine } from '../../fakes/llama/loading.ts'
import { Operator, type RunningAgent } from '../../fakes/worker/operator.ts'
import { until } from '../../until.ts'

const Starting = suite('worker: an agent whose engine is still loading its models')

const MAIN = fileURLToPath(new URL('../../../src/worker/main.ts', import.meta.url))
const KEY = `0x${'7'.repeat(64)}` as const
const worker = privateKeyAddress(toBytes(KEY))
const START_MS = 60_000

let operator: Operator
let home: string
let agent: RunningAgent
Starting.before.each(() => {
  operator = new Operator(['--import', import.meta.resolve('tsx'), MAIN])
  home = join(operator.home, 'agent')
  mkdirSync(home)
  writeFileSync(join(home, 'worker.json'), JSON.stringify({ 'private-key': KEY }))
  const where = ['--home', home, '--pool', 'http://127.0.0.1:9']
  agent = operator.start([...where, ...loadingEngine(operator.home)])
})
Starting.after.each(() => operator.close())

/** Asks until the agent has come so far as to listen. */
const answerTo = (question: Question): Promise<AgentReport> =>
  until(
    () => `an answer; the agent shows:\n${agent.shown}`,
    () => ask(home, worker, question),
    START_MS,
  )

Starting('says that it starts, and starts on', async () => {
  const report = await answerTo('status')
  assert.is(report.worker, worker)
  assert.is(report.phase, 'starting')
  assert.is((await answerTo('status')).phase, 'starting', agent.shown)
})

Starting('leaves at once where it is asked to', async () => {
  const { busy } = await answerTo('drain')
  assert.is(busy, 0)
  assert.is(await agent.ends(), 0, agent.shown)
})

Starting.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLog } from '../../../src/telemetry/log.ts'
import { Seldom } from '../../../src/telemetry/seldom.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Seldoms = suite('what is told seldom')

function telling() {
  const clock = new ManualClock()
  const lines: Record<string, unknown>[] = []
  const log = makeLog('test', 'info', { write: (line) => lines.push(JSON.parse(line)) })
  const said = () => lines.map(({ msg, moreBefore }) => [msg, moreBefore])
  return { clock, seldom: new Seldom(clock, log), lines, said }
}

Seldoms(
  'the first is told at once, whole; then one in ten seconds, and how many more',
  async () => {
    const { clock, seldom, lines, said } = telling()
    for (let i = 0; i < 25; i++) {
      seldom.warn({ err: new Error('away'), jobId: `job_${i}` }, 'cannot reserve')
      await clock.advance(1_000)
    }
    assert.equal(said(), [
      ['cannot reserve', undefined],
      ['cannot reserve', 9],
      ['cannot reserve', 9],
    ])
    assert.is(lines[0]!.jobId, 'job_0')
    assert.is((lines[0]!.err as Error).message, 'away')
  },
)

Seldoms('what is no fault of ours is told as often, and not as a warning', () => {
  const { seldom, lines } = telling()
  for (let i = 0; i < 5; i++) seldom.info({}, 'turned away')
  assert.equal(
    lines.map(({ level }) => level),
    [30],
  )
})

Seldoms('each message, or kind, has lines of its own', () => {
  const { seldom, said } = telling()
  for (const kind of ['lock', 'settle', 'lock']) seldom.warn({ kind }, 'failed', kind)
  seldom.warn({}, 'no answer')
  assert.equal(said(), [
    ['failed', undefined],
    ['failed', undefined],
    ['no answer', undefined],
  ])
})

Seldoms.run()
